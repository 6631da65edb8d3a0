/** Runs the tool calls of one model message and answers each of them. */

import type { AssistantMessage, ToolCall } from "../base/conversation.ts";
import { toolError } from "../registry/tool.ts";
import type { ToolOutcome } from "./agent.ts";
import type { Conversation } from "./conversation.ts";
import type { Turn } from "./turn.ts";

/** How long an interrupted tool may take to end by itself before it is abandoned. */
const interruptGraceMs = 700;

/** One after the other, in call order. Stops at an interrupt; calls that have not begun then are left open. */
export async function runToolCalls(conversation: Conversation, message: AssistantMessage, turn: Turn): Promise<void> {
	for (const call of message.toolCalls) {
		if (turn.signal.aborted) return;
		await answerCall(conversation, { call, wasCut: message.finishReason === "length" }, turn);
	}
}

async function answerCall(
	conversation: Conversation,
	{ call, wasCut }: { call: ToolCall; wasCut: boolean },
	turn: Turn,
): Promise<void> {
	const { emit } = conversation.options;
	emit({ type: "tool_started", id: call.id, name: call.name, arguments: call.arguments });
	const outcome = refusal(call, wasCut) ?? (await run(conversation, call, turn.signal));
	conversation.append({ role: "tool", toolCallId: call.id, toolName: call.name, content: outcome.answer });
	if (outcome.denied) turn.tally.deniedCalls++;
	emit({
		type: "tool_finished",
		id: call.id,
		name: call.name,
		result: outcome.answer,
		is_error: outcome.isError,
		denied: outcome.denied,
		duration_ms: outcome.durationMs,
	});
}

/** A call that was cut off is never run: half a command can do harm that the whole would not. */
function refusal(call: ToolCall, wasCut: boolean): ToolOutcome | undefined {
	if (wasCut) {
		return failure(
			"The answer reached its length limit, so this call may be incomplete and was not run. Send it again, in smaller steps",
		);
	}
	if (!isJson(call.arguments)) {
		return failure(
			"The arguments are not complete JSON, so the call was not run. Send it again with one valid JSON object",
		);
	}
	return undefined;
}

async function run({ options }: Conversation, call: ToolCall, signal: AbortSignal): Promise<ToolOutcome> {
	const started = performance.now();
	let over = false;
	const onOutput = (text: string) => {
		if (!over) options.emit({ type: "tool_output", id: call.id, text });
	};
	try {
		const outcome = await withGrace(options.runTool(call, { signal, onOutput }), signal);
		return (
			outcome ??
			failure("Interrupted by the user before it ended. What it had done until then stays", performance.now() - started)
		);
	} catch (cause) {
		const state = cause instanceof Error ? cause.message : String(cause);
		return failure(`Cannot run "${call.name}": ${state}`, performance.now() - started);
	} finally {
		over = true;
	}
}

/** What `work` gives; undefined when it does not end soon after the signal has aborted. Its late result is dropped. */
async function withGrace<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
	const { promise: abandoned, resolve } = Promise.withResolvers<undefined>();
	let timer: Timer | undefined;
	const onAbort = () => {
		timer = setTimeout(resolve, interruptGraceMs, undefined);
	};
	signal.addEventListener("abort", onAbort, { once: true });
	if (signal.aborted) onAbort();
	try {
		return await Promise.race([work, abandoned]);
	} finally {
		clearTimeout(timer);
		signal.removeEventListener("abort", onAbort);
	}
}

function failure(message: string, durationMs = 0): ToolOutcome {
	return { answer: toolError(message), isError: true, denied: false, durationMs: Math.round(durationMs) };
}

function isJson(text: string): boolean {
	try {
		JSON.parse(text);
		return true;
	} catch {
		return false;
	}
}
