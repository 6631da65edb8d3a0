/** One call of a model, from its text to the answer: the only place that catches what a tool throws. */

import { nearestName } from "../base/nearest-name.ts";
import { BackendUnavailable } from "../environments/backend.ts";
import type { Approve } from "../security/approval.ts";
import { cleanErrorText } from "../security/error-text.ts";
import { fitAnswer } from "./fit-answer.ts";
import { parseArguments } from "./parse-arguments.ts";
import type { Registry } from "./registry.ts";
import { type Tool, type ToolAnswer, type ToolContext, toolError } from "./tool.ts";

export interface DispatchOptions {
	readonly registry: Registry;
	/** `arguments` is the text as the model sent it, or an object from a caller that has one. */
	readonly call: { readonly name: string; readonly arguments: string | Readonly<Record<string, unknown>> };
	readonly context: ToolContext;
	readonly approve: Approve;
	/** Names this session may call; everything when left out. */
	readonly allowed?: ReadonlySet<string>;
}

export interface Dispatched {
	readonly answer: ToolAnswer;
	/** The answer's `error` says something. */
	readonly isError: boolean;
	/** The call was refused for want of approval; nothing ran. */
	readonly denied: boolean;
	readonly durationMs: number;
}

/** Characters of an answer when the tool names no limit of its own. */
const defaultResultLimit = 100_000;

/** Never throws: every outcome, failures of the machinery included, is an answer the model can read. */
export async function dispatch(options: DispatchOptions): Promise<Dispatched> {
	const started = performance.now();
	const tool = options.registry.get(options.call.name);
	const { answer, denied } = await answerSafely(options, tool);
	const cleaned = cleanError(answer);
	return {
		answer: fitAnswer(cleaned.answer, tool?.resultLimit ?? defaultResultLimit),
		isError: cleaned.isError,
		denied,
		durationMs: performance.now() - started,
	};
}

interface Answered {
	readonly answer: ToolAnswer;
	readonly denied: boolean;
}

async function answerSafely(options: DispatchOptions, tool: Tool | undefined): Promise<Answered> {
	try {
		return await answerCall(options, tool);
	} catch (cause) {
		return failed(thrownAnswer(options, cause));
	}
}

async function answerCall(options: DispatchOptions, tool: Tool | undefined): Promise<Answered> {
	const { call, context } = options;
	const refusal = refusalOf(options, tool);
	if (tool === undefined || refusal !== undefined) return failed(toolError(refusal ?? ""));
	const parsed = parseArguments(tool, call.arguments);
	if (!parsed.ok) return failed(toolError(parsed.error));
	const request = tool.approval?.(parsed.args, context);
	const verdict = request === undefined ? undefined : await options.approve(request);
	if (verdict?.approved === false) {
		return { answer: toolError(verdict.reason, { ...tool.refusal, status: "blocked" }), denied: true };
	}
	if (context.signal.aborted) return failed(interrupted());
	return { answer: await tool.run(parsed.args, context), denied: false };
}

function failed(answer: ToolAnswer): Answered {
	return { answer, denied: false };
}

function refusalOf({ registry, call, allowed }: DispatchOptions, tool: Tool | undefined): string | undefined {
	const names = registry
		.list()
		.map((known) => known.name)
		.filter((name) => allowed === undefined || allowed.has(name));
	if (tool === undefined) {
		const nearest = nearestName(call.name, names);
		const advice = nearest === undefined ? `the tools are ${names.join(", ")}` : `did you mean "${nearest}"?`;
		return `Cannot call "${call.name}": no tool has that name; ${advice}`;
	}
	if (allowed !== undefined && !allowed.has(tool.name)) {
		return `Cannot call "${tool.name}": it is not enabled in this session; the tools are ${names.join(", ")}`;
	}
	if (tool.scope === "agent") {
		return `Cannot call "${tool.name}" here: it needs the agent's own state and works only inside a conversation`;
	}
	return undefined;
}

function thrownAnswer({ call, context }: DispatchOptions, cause: unknown): ToolAnswer {
	const message = cause instanceof Error ? cause.message : String(cause);
	// Never to be read as the output of a command: the place is broken, the command said nothing.
	if (cause instanceof BackendUnavailable) return toolError(message, { error_type: "backend_unavailable" });
	if (context.signal.aborted) return interrupted();
	return toolError(`Tool "${call.name}" failed: ${message}`, { error_type: "tool_failed" });
}

function interrupted(): ToolAnswer {
	return toolError("The user interrupted this call", { error_type: "interrupted" });
}

/** An answer is an error when its `error` says something; that text is the part a tool may have copied from anywhere. */
function cleanError(answer: ToolAnswer): { answer: ToolAnswer; isError: boolean } {
	if (!answer.includes('"error":')) return { answer, isError: false };
	const value: unknown = JSON.parse(answer);
	if (typeof value !== "object" || value === null || !("error" in value) || !value.error)
		return { answer, isError: false };
	const { error, ...rest } = value;
	if (typeof error !== "string") return { answer, isError: true };
	const cleaned = cleanErrorText(error);
	return { answer: cleaned === error ? answer : toolError(cleaned, rest), isError: true };
}
