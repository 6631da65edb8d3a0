/** Compares what a cassette expects with what the tools really answered. */

import type { Message, ToolMessage } from "../../base/conversation.ts";
import type { Expectation } from "./tape.ts";

/** The results of the last batch of tool calls, in call order. */
export function lastToolResults(messages: readonly Message[]): readonly ToolMessage[] {
	const start = messages.findLastIndex(({ role }) => role !== "tool") + 1;
	return messages.slice(start).filter((message) => message.role === "tool");
}

/** Why an expectation is not met, on one line; undefined when all are. */
export function unmet(expectations: readonly Expectation[], results: readonly ToolMessage[]): string | undefined {
	const missed = expectations.find((expected) => !results.some((result) => meets(expected, result)));
	return missed === undefined ? undefined : `expected ${describe(missed)}, got ${describeResults(missed, results)}`;
}

function meets(expected: Expectation, { toolName, content }: ToolMessage): boolean {
	if (expected.tool !== undefined && expected.tool !== toolName) return false;
	const result = parse(content);
	if (expected.exit_code !== undefined && field(result, "exit_code") !== expected.exit_code) return false;
	if (expected.error !== undefined && hasError(result) !== expected.error) return false;
	const texts = [content, ...strings(result)];
	const { contains, pattern } = expected;
	if (contains !== undefined && !texts.some((text) => text.includes(contains))) return false;
	return pattern === undefined || texts.some((text) => pattern.test(text));
}

/** Every text inside the JSON, because escapes would hide line ends and quotes from a match. */
function strings(value: unknown): string[] {
	if (typeof value === "string") return [value];
	return typeof value === "object" && value !== null ? Object.values(value).flatMap(strings) : [];
}

function describe({ tool, contains, matches, exit_code, error }: Expectation): string {
	const conditions = [
		...(exit_code === undefined ? [] : [`exit code ${exit_code}`]),
		...(contains === undefined ? [] : [`the text ${JSON.stringify(contains)}`]),
		...(matches === undefined ? [] : [`a match of /${matches}/`]),
		...(error === undefined ? [] : [error ? "an error" : "no error"]),
	];
	return `${tool === undefined ? "a result" : `a result of ${tool}`}${conditions.length === 0 ? "" : ` with ${conditions.join(" and ")}`}`;
}

function describeResults({ tool }: Expectation, results: readonly ToolMessage[]): string {
	const meant = tool === undefined ? results : results.filter(({ toolName }) => toolName === tool);
	const shown = meant.length > 0 ? meant : results;
	return shown.length === 0
		? "no result"
		: shown.map(({ toolName, content }) => `${toolName} ${short(content)}`).join(", ");
}

function short(text: string): string {
	const line = text.replace(/\s+/g, " ");
	return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}

function parse(content: string): unknown {
	try {
		return JSON.parse(content);
	} catch {
		return content;
	}
}

/** Whether the result of a tool reports a failure. */
export function hasError(result: unknown): boolean {
	const error = field(result, "error");
	return error !== undefined && error !== null;
}

/** One field of a result that may be no object at all. */
export function field(result: unknown, name: string): unknown {
	return typeof result === "object" && result !== null
		? Object.entries(result).find(([key]) => key === name)?.[1]
		: undefined;
}
