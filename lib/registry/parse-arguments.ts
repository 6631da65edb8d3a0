/** From what a model sent to arguments a tool can trust, or to a text that says everything that is wrong. */

import type { z } from "zod";
import type { Tool } from "./tool.ts";

export type ParsedArguments =
	| { readonly ok: true; readonly args: Record<string, unknown> }
	| { readonly ok: false; readonly error: string };

/** Text that is not whole JSON is never repaired: half of a command may mean something else than all of it. */
export function parseArguments(tool: Tool, sent: string | Readonly<Record<string, unknown>>): ParsedArguments {
	const decoded = typeof sent === "string" ? decode(tool, sent) : { value: sent };
	if ("error" in decoded) return { ok: false, error: decoded.error };
	const parsed = tool.args.safeParse(decoded.value);
	if (parsed.success) return { ok: true, args: parsed.data };
	return { ok: false, error: describe(tool, decoded.value, parsed.error.issues) };
}

function decode(tool: Tool, text: string): { value: unknown } | { error: string } {
	// Some models send nothing at all for a tool without required arguments.
	if (text.trim() === "") return { value: {} };
	try {
		const value: unknown = JSON.parse(text);
		if (typeof value === "object" && value !== null && !Array.isArray(value)) return { value };
		return { error: `Cannot call "${tool.name}": the arguments must be a JSON object, not ${kindOf(value)}` };
	} catch (cause) {
		const reason = cause instanceof Error ? cause.message : String(cause);
		return {
			error: `Cannot call "${tool.name}": the arguments are not valid JSON (${reason}), perhaps cut off after ${text.length} characters. Nothing was run. Send the whole call again, smaller if it was cut.`,
		};
	}
}

function describe(tool: Tool, value: unknown, issues: readonly z.core.$ZodIssue[]): string {
	const known = Object.keys(tool.args.shape);
	const unknownNames = Object.keys(value ?? {}).filter((name) => !known.includes(name));
	const lines = issues.map((issue) => `- ${issue.path.join(".") || "arguments"}: ${problemOf(issue, value)}`);
	const stray = unknownNames.map((name) => `- ${name}: not an argument of this tool`);
	const all = [...lines, ...stray];
	const count = all.length === 1 ? "1 problem" : `${all.length} problems`;
	return [`Cannot call "${tool.name}": ${count} with its arguments (${known.join(", ")})`, ...all].join("\n");
}

function problemOf(issue: z.core.$ZodIssue, value: unknown): string {
	const got = valueAt(value, issue.path);
	if (issue.code === "invalid_type") {
		return got === undefined ? `missing, expected ${issue.expected}` : `expected ${issue.expected}, got ${kindOf(got)}`;
	}
	return issue.message.replace(/^Invalid (input|option): /, "");
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
	return path.reduce<unknown>(
		(inner, key) => (inner === null || inner === undefined ? undefined : Reflect.get(Object(inner), key)),
		value,
	);
}

function kindOf(value: unknown): string {
	if (value === null) return "null";
	return Array.isArray(value) ? "array" : typeof value;
}
