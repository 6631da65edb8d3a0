/** Shortens conversations that become too long for their model: decides when, has the middle summed up, and goes on with the rest. */

import type { Message } from "../../base/conversation.ts";
import type { PlanStep } from "../../registry/agent-state.ts";
import type { Compress, Compressed, CompressRequest } from "../compress.ts";
import type { AgentEvent } from "../events.ts";
import type { ModelRoute } from "../routes.ts";
import { type Cut, cutConversation } from "./boundaries.ts";
import { type CompressionStore, continueIn, lockSession, type SessionLock } from "./continuation.ts";
import { fixedTokens, messagesTokens } from "./estimate.ts";
import { fittedResults } from "./fitted-results.ts";
import { type CompressionSettings, type ContextLimits, contextLimits } from "./limits.ts";
import { createMeter } from "./measure.ts";
import { withoutOldImages } from "./old-images.ts";
import { prunedMessages } from "./prune.ts";
import type { Summariser } from "./summarise.ts";
import { summaryBody, summaryMessage } from "./summary-message.ts";
import { createSummaryWriter } from "./summary-writer.ts";
import type { Mask } from "./transcript.ts";

/** What a compressor is made of: one for each conversation. */
export interface CompressorOptions {
	readonly settings: CompressionSettings;
	/** Tokens of the window of a model; undefined when nobody knows. */
	windowOf(route: Pick<ModelRoute, "model" | "providerId">): number | undefined;
	/** Another model than that of the conversation, for summaries. Opened when the first one is needed. */
	summariser?: (() => Promise<Summariser>) | undefined;
	/** Seconds that the conversation's own model may take for a part of a summary. */
	readonly timeoutSeconds: number;
	readonly mask: Mask;
	/** Left out: the conversation is not kept. */
	readonly store?: CompressionStore | undefined;
	/** Told what the conversation's own model used for a summary. */
	onUsed?(used: Parameters<NonNullable<Summariser["onUsed"]>>[0], route: ModelRoute): void;
	/** The plan of the task; what is open of it goes with the summary. */
	plan?(): readonly PlanStep[];
	/** The prompt as it would be made now; the old one is kept when left out. */
	rebuildPrompt?(): Promise<string>;
	/** Told when the model no longer has all of the conversation before it. */
	onShortened?(): void;
	now?(): number;
	emit(event: AgentEvent): void;
}

/** A window that nobody knows is taken to have so many tokens, until the model says otherwise. */
const usualWindow = 128_000;
/** Where plans begin to count tokens of a request as long ones. */
const longContext = 200_000;
/** A compression that saves less was for nothing; after two of them it is not tried again by itself. */
const worthwhile = 0.1;
const mostFutile = 2;

/** What is remembered of one conversation. */
interface Memory {
	readonly windows: Map<string, number>;
	futile: number;
	times: number;
	isLockTold: boolean;
}

/** Gives the port that the loop asks. */
export function createCompressor(options: CompressorOptions): Compress {
	const { settings } = options;
	const memory: Memory = { windows: new Map(), futile: 0, times: 0, isLockTold: false };
	const meter = createMeter();
	const writer = createSummaryWriter(options);

	const isDue = (limits: ContextLimits, { tokens, isCounted }: { tokens: number; isCounted: boolean }): boolean => {
		if (tokens < limits.threshold) {
			if (isCounted) memory.futile = 0;
			return false;
		}
		if (memory.futile >= mostFutile || writer.isResting()) return false;
		return !meter.isFresh(tokens, limits.threshold);
	};

	const shorten = async (
		request: CompressRequest,
		{ limits, tokens, lock }: { limits: ContextLimits; tokens: number; lock: SessionLock | undefined },
	): Promise<Compressed | undefined> => {
		const cut = cutFor(request, limits, settings);
		if (cut === undefined) {
			memory.futile++;
			return undefined;
		}
		const message = `Compacting context: ${request.messages.length} messages, about ${tokens} tokens`;
		options.emit({ type: "status", message });
		const messages = await rewritten(request, { cut, limits, writer, plan: options.plan?.() });
		if (messages === undefined) return undefined;
		const before = messagesTokens(request.messages);
		const after = messagesTokens(messages);
		memory.futile = after > before * (1 - worthwhile) ? memory.futile + 1 : 0;
		const systemPrompt = (await options.rebuildPrompt?.()) ?? request.systemPrompt;
		request.signal.throwIfAborted();
		if (lock?.isHeld() === false) return undefined;
		const { store } = options;
		const sessionId = store && continueIn(store, request.sessionId, { messages, systemPrompt });
		meter.shortened(fixedTokens(systemPrompt, request.tools) + after);
		options.onShortened?.();
		memory.times++;
		if (memory.times > 1) options.emit({ type: "warning", message: timesWarning(memory.times) });
		return { messages, systemPrompt, ...(sessionId !== undefined && { sessionId }) };
	};

	return async (asked) => {
		// The list is the conversation's own and would change under our hands.
		const request = { ...asked, messages: [...asked.messages] };
		const { why, sessionId } = request;
		if (why !== "manual" && !settings.enabled) return undefined;
		const measured = meter.measure(request);
		const limits = limitsFor(request, { options, memory, tokens: measured.tokens });
		if (why === "check" && !isDue(limits, measured)) return undefined;
		if (why === "manual") {
			memory.futile = 0;
			writer.forgetFailures();
		}
		using lock = options.store && lockSession(options.store, sessionId);
		if (options.store !== undefined && lock === undefined) {
			if (!memory.isLockTold) options.emit({ type: "warning", message: lockedWarning });
			memory.isLockTold = true;
			return undefined;
		}
		// Awaited here: the lock goes when this function returns.
		return await shorten(request, { limits, tokens: measured.tokens, lock });
	};
}

const lockedWarning = "The conversation is not shortened: another run of hermes is doing that with this session";

function timesWarning(times: number): string {
	return `The conversation was shortened for the ${times}${times === 2 ? "nd" : "th"} time; details of its beginning may be lost (/new begins another)`;
}

/** A model that refuses a request has said something about its window, and is believed from then on. */
function limitsFor(
	{ why, route, contextTokens, outputTokens }: CompressRequest,
	{
		options,
		memory,
		tokens,
	}: { readonly options: CompressorOptions; readonly memory: Memory; readonly tokens: number },
): ContextLimits {
	const key = `${route.providerId}/${route.model}`;
	const known = memory.windows.get(key) ?? options.windowOf(route) ?? usualWindow;
	const said: Readonly<Record<CompressRequest["why"], number>> = {
		check: known,
		manual: known,
		context_overflow: contextTokens ?? tokens,
		payload_too_large: tokens,
		long_context_limit: contextTokens ?? longContext,
	};
	const window = Math.min(known, said[why]);
	if (why !== "payload_too_large" && window < known) memory.windows.set(key, window);
	return contextLimits(window, options.settings, outputTokens);
}

function cutFor(
	{ messages }: CompressRequest,
	{ tail }: ContextLimits,
	{ protectFirst, protectLast, targetRatio }: CompressionSettings,
): Cut | undefined {
	// Asked for by hand, a conversation may be far from its limits.
	const kept = Math.min(tail, Math.floor(messagesTokens(messages) * Math.min(0.8, Math.max(0.1, targetRatio))));
	return cutConversation(messages, { protectFirst: beginning(messages, protectFirst, kept), protectLast, tail: kept });
}

/** How many of the first `most` messages may stay: a call with an answer too long to be kept is summed up with it. */
function beginning(messages: readonly Message[], most: number, tokens: number): number {
	let first = 0;
	for (let end = 0; end < Math.min(most, messages.length); ) {
		end++;
		while (messages[end]?.role === "tool") end++;
		if (messagesTokens(messages.slice(0, end)) > tokens) break;
		first = end;
	}
	return first;
}

interface Rewriting {
	readonly cut: Cut;
	readonly limits: ContextLimits;
	readonly writer: ReturnType<typeof createSummaryWriter>;
	readonly plan: readonly PlanStep[] | undefined;
}

/** Undefined when there is no summary to be had. */
async function rewritten(
	request: CompressRequest,
	{ cut, limits, writer, plan }: Rewriting,
): Promise<readonly Message[] | undefined> {
	const { head, earlier, middle, lifted, tail } = cut;
	const [from, to] = [head.length, head.length + middle.length];
	const pruned = prunedMessages([...head, ...middle, ...tail], { from, to });
	const previous = earlier === undefined ? undefined : summaryBody(earlier.content);
	const body = await writer.write(request, {
		messages: pruned.slice(from, to),
		tokens: messagesTokens(middle),
		previous,
		window: limits.window,
	});
	if (body === undefined) return undefined;
	const end = fittedResults(pruned.slice(to), limits.tail);
	return withoutOldImages([...head, summaryMessage(body, plan), ...lifted, ...end], request.messages);
}
