/** One call of a model, from its text to the answer: the only place that catches what a tool throws. */

import { nearestName } from "../base/nearest-name.ts";
import { BackendUnavailable } from "../environments/backend.ts";
import type { Logger } from "../log/logger.ts";
import type { Approve } from "../security/approval.ts";
import { decodeArguments } from "./arguments/parse-arguments.ts";
import { afterCall, blockedReason, type CallEnd, runInside, type SettledCall } from "./calls/call-hooks.ts";
import { finishAnswer, markUntrusted } from "./calls/finish-answer.ts";
import { prepareArguments } from "./calls/prepare-arguments.ts";
import type { Hooks } from "./hooks.ts";
import type { Registry } from "./registry.ts";
import type { ResultBudget } from "./results/result-budget.ts";
import { bridgeNames } from "./search/bridge-names.ts";
import { type Bridged, type Catalogue, crossBridge } from "./search/bridges.ts";
import { type Tool, type ToolAnswer, type ToolContext, toolError } from "./tool.ts";

/** One call, and what it may use. */
export interface DispatchOptions {
	readonly registry: Registry;
	/** `arguments` is the text as the model sent it, or an object from a caller that has one. */
	readonly call: { readonly name: string; readonly arguments: string | Readonly<Record<string, unknown>> };
	readonly context: ToolContext;
	readonly approve: Approve;
	/** Names this session may call; everything when left out. */
	readonly allowed?: ReadonlySet<string> | undefined;
	readonly hooks?: Hooks | undefined;
	/** What this session finds by search; without it the search tools are unknown names. */
	readonly catalogue?: Catalogue | undefined;
	/** Saves what is too long; without it long answers are cut. */
	readonly budget?: ResultBudget | undefined;
	/** The caller is a program: its answers are not cut, and nothing is saved. */
	readonly isProgram?: boolean | undefined;
	/** Calls of the same message of the model share a budget. */
	readonly step?: string | number | undefined;
	readonly log?: Pick<Logger, "warning"> | undefined;
	/** Called when nothing is left but to run the tool; what it throws is the answer, and nothing runs. */
	readonly beforeRun?: ((tool: Tool, args: Readonly<Record<string, unknown>>) => void | Promise<void>) | undefined;
}

/** What came of a call. */
export interface Dispatched {
	readonly answer: ToolAnswer;
	/** The answer's `error` says something. */
	readonly isError: boolean;
	/** The call was refused for want of approval; nothing ran. */
	readonly denied: boolean;
	readonly durationMs: number;
	/** The file in the sandbox that has the whole answer, when it was too long. */
	readonly savedAt?: string;
}

/**
 * Never throws: every outcome, failures of the machinery included, is an answer the model can read. All rewriting comes
 * first, then blocking hooks, then the user's consent; after that nothing changes the arguments any more.
 */
export async function dispatch(options: DispatchOptions): Promise<Dispatched> {
	const started = performance.now();
	const bridged = cross(options);
	if (bridged?.kind === "call") {
		// With everything that belongs to the outer call: hooks, approval and logs only ever see the real tool.
		return dispatch({ ...options, call: { name: bridged.name, arguments: bridged.arguments }, catalogue: undefined });
	}
	const tool = options.registry.get(options.call.name);
	const { answer, denied } = bridged === undefined ? await answerSafely(options, tool) : failed(bridged.answer);
	const finished = await finishAnswer(options, tool, answer);
	return { ...finished, denied, durationMs: performance.now() - started };
}

function cross({ call, catalogue }: DispatchOptions): Bridged | undefined {
	if (catalogue === undefined || catalogue.deferred.length === 0 || !bridgeNames.has(call.name)) return undefined;
	const decoded = decodeArguments(call.name, call.arguments);
	return decoded.ok
		? crossBridge(call.name, decoded.args, catalogue)
		: { kind: "answer", answer: toolError(decoded.error) };
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
	const refusal = refusalOf(options, tool);
	if (tool === undefined || refusal !== undefined) return failed(toolError(refusal ?? ""));
	const prepared = await prepareArguments(options, tool);
	if (!prepared.ok) return failed(toolError(prepared.error));
	const call: SettledCall = { options, tool, args: prepared.args };
	const end = (await stoppedBefore(call)) ?? (await runHandler(call));
	return { answer: await afterCall(call, end), denied: end.status === "denied" };
}

/** Why the call does not run: a hook blocked it, the user did not agree, or the turn was interrupted. */
async function stoppedBefore(call: SettledCall): Promise<CallEnd | undefined> {
	const { options, tool, args } = call;
	const blocked = await blockedReason(call);
	if (blocked !== undefined) {
		const answer = toolError(blocked, { ...tool.refusal, status: "blocked" });
		return { status: "blocked", answer, durationMs: 0, errorType: "plugin_block" };
	}
	const request = tool.approval?.(args, options.context);
	const verdict = request === undefined ? undefined : await options.approve(request);
	if (verdict?.approved === false) {
		const answer = toolError(verdict.reason, { ...tool.refusal, status: "blocked" });
		return { status: "denied", answer, durationMs: 0, errorType: "denied" };
	}
	if (!options.context.signal.aborted) return undefined;
	return { status: "error", answer: interrupted(), durationMs: 0, errorType: "interrupted" };
}

async function runHandler(call: SettledCall): Promise<CallEnd> {
	const { options, tool, args } = call;
	const started = performance.now();
	try {
		await options.beforeRun?.(tool, args);
		const answer = await runInside(call, async () => markUntrusted(tool, await tool.run(args, options.context)));
		const status = answer.startsWith('{"error":"') && !answer.startsWith('{"error":""') ? "error" : "ok";
		return { status, answer, durationMs: performance.now() - started };
	} catch (cause) {
		const answer = thrownAnswer(options, cause);
		return { status: "error", answer, durationMs: performance.now() - started, errorType: "tool_failed" };
	}
}

function failed(answer: ToolAnswer): Answered {
	return { answer, denied: false };
}

function refusalOf({ registry, call, allowed, context }: DispatchOptions, tool: Tool | undefined): string | undefined {
	if (tool !== undefined && (allowed === undefined || allowed.has(tool.name))) {
		return tool.scope === "agent" && context.agent === undefined
			? `Cannot call "${tool.name}" here: it needs the agent's own state and works only inside a conversation`
			: undefined;
	}
	const known = registry.list().map(({ name }) => name);
	const names = known.filter((name) => allowed === undefined || allowed.has(name));
	if (tool === undefined) {
		const nearest = nearestName(call.name, names);
		const advice = nearest === undefined ? `the tools are ${names.join(", ")}` : `did you mean "${nearest}"?`;
		return `Cannot call "${call.name}": no tool has that name; ${advice}`;
	}
	return `Cannot call "${tool.name}": it is not enabled in this session; the tools are ${names.join(", ")}`;
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
