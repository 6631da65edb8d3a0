/** From what a model sent to arguments a tool can trust, or to a text that says everything that is wrong. */

import type { z } from "zod";
import type { JsonSchema } from "../json-schema.ts";
import { isNode } from "../schema/nodes.ts";
import type { Tool } from "../tool.ts";
import { isLargeInteger, readJson } from "./read-json.ts";
import { kindOf, problemsOf, scopeOf } from "./validate.ts";

/** Arguments, or why there are none. */
export type ParsedArguments =
	| { readonly ok: true; readonly args: Readonly<Record<string, unknown>> }
	| { readonly ok: false; readonly error: string };

/** Text that is not whole JSON is never repaired: half of a command may mean something else than all of it. */
export function decodeArguments(name: string, sent: string | Readonly<Record<string, unknown>>): ParsedArguments {
	if (typeof sent !== "string") return { ok: true, args: sent };
	// Some models send nothing at all for a tool without required arguments.
	if (sent.trim() === "") return { ok: true, args: {} };
	const read = readJson(sent);
	if (!read.ok) {
		return {
			ok: false,
			error: `Cannot call "${name}": the arguments are not valid JSON (${read.reason}), perhaps cut off after ${sent.length} characters. Nothing was run. Send the whole call again, smaller if it was cut.`,
		};
	}
	if (isNode(read.value)) return { ok: true, args: read.value };
	return { ok: false, error: `Cannot call "${name}": the arguments must be a JSON object, not ${kindOf(read.value)}` };
}

/** Checks decoded and mended arguments and fills in defaults. `schema` is the tool's. */
export function checkArguments(
	tool: Tool,
	args: Readonly<Record<string, unknown>>,
	schema: JsonSchema,
): ParsedArguments {
	if (tool.parameters !== undefined) {
		const problems = problemsOf(args, schema, scopeOf(schema)).map(
			({ path, text }) => `- ${path.join(".") || "arguments"}: ${text}`,
		);
		if (problems.length > 0) return { ok: false, error: complaint(tool, problems, schema) };
	}
	const parsed = tool.args.safeParse(args);
	if (parsed.success) return { ok: true, args: parsed.data };
	const known = Object.keys(tool.args.shape);
	const stray = Object.keys(args).filter((name) => !known.includes(name));
	const lines = parsed.error.issues.map(
		(issue) => `- ${issue.path.join(".") || "arguments"}: ${problemOf(issue, args)}`,
	);
	const all = [...lines, ...stray.map((name) => `- ${name}: not an argument of this tool`)];
	return { ok: false, error: complaint(tool, all, schema) };
}

function complaint(tool: Tool, problems: readonly string[], schema: JsonSchema): string {
	const known = Object.keys(isNode(schema.properties) ? schema.properties : {});
	const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
	return [`Cannot call "${tool.name}": ${count} with its arguments (${known.join(", ")})`, ...problems].join("\n");
}

function problemOf(issue: z.core.$ZodIssue, value: unknown): string {
	const got = valueAt(value, issue.path);
	if (issue.code === "invalid_type") {
		if (got === undefined) return `missing, expected ${issue.expected}`;
		const size = isLargeInteger(got) && issue.expected !== "string" ? ` of ${got.length} digits, too large here` : "";
		return `expected ${issue.expected}, got ${kindOf(got)}${size}`;
	}
	return issue.message.replace(/^Invalid (input|option): /, "");
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
	return path.reduce<unknown>(
		(inner, key) => (inner === null || inner === undefined ? undefined : Reflect.get(Object(inner), key)),
		value,
	);
}
