/** Runs one tool call, or says why it is not run. */

import type { ToolCall } from "../../base/conversation.ts";
import { toolError } from "../../registry/tool.ts";
import type { CallTraits, ToolOutcome } from "../agent.ts";
import type { Conversation } from "../conversation.ts";
import type { Turn } from "../turn.ts";
import { repairJson } from "./repair-json.ts";

/** How long an interrupted tool may take to end by itself before it is abandoned. */
const interruptGraceMs = 700;

/** A call of a message, and what the message says of it. */
export interface PendingCall {
	readonly call: ToolCall;
	readonly traits: CallTraits;
	/** The message reached its length limit. */
	readonly wasCut: boolean;
	/** The same call stands earlier in the message. */
	readonly isRepeated: boolean;
}

/** Never rejects: what goes wrong is an answer. Tells those who watch when the call begins and ends. */
export async function runCall(
	conversation: Conversation,
	pending: PendingCall,
	{ turn, signal }: { readonly turn: Turn; readonly signal: AbortSignal },
): Promise<ToolOutcome> {
	const { call } = pending;
	turn.emit({ type: "tool_started", id: call.id, name: call.name, arguments: call.arguments });
	const outcome = refusal(pending) ?? (await run(conversation, pending, { turn, signal }));
	turn.emit({
		type: "tool_finished",
		id: call.id,
		name: call.name,
		result: outcome.answer,
		is_error: outcome.isError,
		denied: outcome.denied,
		duration_ms: outcome.durationMs,
	});
	return outcome;
}

/** A call that was cut off is never run: half a command can do harm that the whole would not. */
function refusal({ call, wasCut, isRepeated }: PendingCall): ToolOutcome | undefined {
	if (wasCut) {
		return failure(
			"The answer reached its length limit, so this call may be incomplete and was not run. Send it again, in smaller steps",
		);
	}
	if (!repairJson(call.arguments).ok) {
		return failure(
			"The arguments are not complete JSON, so the call was not run. Send it again with one valid JSON object",
		);
	}
	return isRepeated ? failure("Not run: the same call stands earlier in this message; its answer is above") : undefined;
}

async function run(
	{ options }: Conversation,
	{ call, traits }: PendingCall,
	{ turn, signal }: { readonly turn: Turn; readonly signal: AbortSignal },
): Promise<ToolOutcome> {
	const started = performance.now();
	using _ = traits.isInteractive ? turn.activity.pause() : undefined;
	let over = false;
	const onOutput = (text: string) => {
		if (!over) turn.emit({ type: "tool_output", id: call.id, text });
	};
	try {
		const outcome = await withGrace(options.runTool(call, { signal, budget: turn.budget, onOutput }), signal);
		return outcome ?? failure(abandoned(turn), performance.now() - started);
	} catch (cause) {
		const state = cause instanceof Error ? cause.message : String(cause);
		return failure(`Cannot run "${call.name}": ${state}`, performance.now() - started);
	} finally {
		over = true;
	}
}

function abandoned({ activity }: Turn): string {
	const who = activity.signal.aborted
		? "Given up because nothing had happened for too long"
		: "Interrupted by the user";
	return `${who} before it ended. What it had done until then stays`;
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
