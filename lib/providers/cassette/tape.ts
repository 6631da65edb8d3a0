/** Reads a cassette: JSON lines, one model turn each. All of it is checked before the first turn is played. */

import { z } from "zod";
import { ProviderRefused, type Tape } from "../provider.ts";

const expectation = z.strictObject({
	/** The tool whose result is meant; any result when left out. */
	tool: z.string().optional(),
	/** Text that the result holds, as the tool wrote it (line ends are line ends). */
	contains: z.string().optional(),
	/** A regular expression over the same text; `^` and `$` match at line ends. */
	matches: z.string().optional(),
	exit_code: z.int().optional(),
	/** Whether the result has an `error`. */
	error: z.boolean().optional(),
});

const tapedCall = z.strictObject({
	name: z.string().min(1),
	/** An object; a string is passed on as it is, so that a tape can hold arguments that are not JSON. */
	arguments: z.union([z.record(z.string(), z.unknown()), z.string()]).default({}),
	id: z.string().min(1).optional(),
});

/** The answer word for word, for the wire that it came by. */
const rawAnswer = z.strictObject({
	wire: z.enum(["chat-completions", "responses", "anthropic-messages", "gemini"]),
	provider: z.string(),
	content_type: z.string(),
	body: z.string(),
});

const count = z.int().nonnegative().default(0);

const tapedTurn = z
	.strictObject({
		/**
		 * A part of the first thing that was said in the conversation that the turn belongs to, where several are on one tape:
		 * those of sub-agents, which answer at the same time. Left out: all others.
		 */
		for: z.string().min(1).optional(),
		text: z.string().optional(),
		reasoning: z.string().optional(),
		tool_calls: z.array(tapedCall).default([]),
		/** What the last tool results must be; each is met by at least one of them. */
		expect: z.union([expectation, z.array(expectation)]).optional(),
		finish_reason: z.string().optional(),
		/** Played through the wire's own reader; stands in the place of text and calls. */
		raw: rawAnswer.optional(),
		usage: z
			.strictObject({
				input_tokens: count,
				output_tokens: count,
				cache_read_tokens: count,
				cache_write_tokens: count,
				reasoning_tokens: count,
			})
			.optional(),
		/** Nothing in this line is a template; a recorder sets it where the text itself holds `{{`. */
		verbatim: z.boolean().default(false),
	})
	.refine(
		({ text, tool_calls, raw }) => text !== undefined || tool_calls.length > 0 || raw !== undefined,
		"it has neither text nor tool_calls",
	);

/** What one line of a cassette may hold. */
export type TapedTurn = Omit<z.output<typeof tapedTurn>, "expect" | "for"> & { readonly text: string };
/** What a tool result must be. */
export type Expectation = z.output<typeof expectation> & { readonly pattern?: RegExp };

/** One turn, ready to be played. */
export interface Turn {
	/** Line of the cassette, from 1. */
	readonly line: number;
	readonly turn: TapedTurn;
	/** Which conversation it belongs to; empty for all that have no turns of their own. */
	readonly track: string;
	readonly expectations: readonly Expectation[];
}

/**
 * The turns of a tape with its templates filled in.
 * @throws {ProviderRefused} When a line is broken or names an unknown template, with the line's number.
 */
export function readTape(tape: Tape): readonly Turn[] {
	const turns = tape.text.split("\n").flatMap((text, index) => {
		if (text.trim() === "") return [];
		try {
			return [readLine(text, index + 1, tape.values)];
		} catch (cause) {
			const state = cause instanceof Error ? cause.message : String(cause);
			throw new ProviderRefused("tape", `Cannot play "${tape.name}": line ${index + 1}: ${state}`, { cause });
		}
	});
	if (turns.length === 0) throw new ProviderRefused("tape", `Cannot play "${tape.name}": it holds no turn`);
	return turns;
}

function readLine(text: string, line: number, values: Tape["values"]): Turn {
	const raw = tapedTurn.safeParse(parseJson(text));
	if (!raw.success) throw new Error(firstIssue(raw.error));
	const { expect = [], for: track = "", ...turn } = raw.data;
	const fill = (value: string) => (turn.verbatim ? value : fillTemplates(value, values));
	return {
		line,
		track: fill(track),
		turn: {
			...turn,
			text: fill(turn.text ?? ""),
			...filledReasoning(turn, fill),
			tool_calls: turn.tool_calls.map((call) => filledCall(call, fill)),
		},
		expectations: (Array.isArray(expect) ? expect : [expect]).map((each) =>
			readExpectation(each, turn.verbatim ? {} : values, turn.verbatim),
		),
	};
}

function filledReasoning({ reasoning }: { reasoning?: string | undefined }, fill: (value: string) => string) {
	return reasoning === undefined ? {} : { reasoning: fill(reasoning) };
}

function filledCall(
	call: TapedTurn["tool_calls"][number],
	fill: (value: string) => string,
): TapedTurn["tool_calls"][number] {
	return {
		...call,
		arguments: typeof call.arguments === "string" ? fill(call.arguments) : fillRecord(call.arguments, fill),
	};
}

function fillRecord(
	record: Readonly<Record<string, unknown>>,
	fill: (value: string) => string,
): Record<string, unknown> {
	return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, fillDeep(value, fill)]));
}

function fillDeep(value: unknown, fill: (value: string) => string): unknown {
	if (typeof value === "string") return fill(value);
	if (Array.isArray(value)) return value.map((item) => fillDeep(item, fill));
	return isRecord(value) ? fillRecord(value, fill) : value;
}

function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null;
}

function readExpectation(each: z.output<typeof expectation>, values: Tape["values"], verbatim: boolean): Expectation {
	const fill = (text: string) => (verbatim ? text : fillTemplates(text, values));
	const contains = each.contains === undefined ? {} : { contains: fill(each.contains) };
	if (each.matches === undefined) return { ...each, ...contains };
	const escaped = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, RegExp.escape(value)]));
	const source = verbatim ? each.matches : fillTemplates(each.matches, escaped);
	return { ...each, ...contains, pattern: new RegExp(source, "mu") };
}

function fillTemplates(text: string, values: Tape["values"]): string {
	return text.replaceAll(/\{\{([A-Za-z_]\w*)\}\}/g, (_, name: string) => {
		const value = Object.hasOwn(values, name) ? values[name] : undefined;
		if (value === undefined) {
			const known = Object.keys(values)
				.map((key) => `{{${key}}}`)
				.join(", ");
			throw new Error(`unknown template {{${name}}}; known: ${known === "" ? "none" : known}`);
		}
		return value;
	});
}

function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch (cause) {
		throw new Error("it is not JSON", { cause });
	}
}

function firstIssue(error: z.ZodError): string {
	const issue = error.issues[0];
	const where = issue === undefined || issue.path.length === 0 ? "" : `${issue.path.join(".")}: `;
	return `${where}${issue?.message ?? "not a turn"}`;
}
