/** Gets a summary from the model for summaries, else from the conversation's own, else from the program itself. */

import type { Message } from "../../base/conversation.ts";
import type { CompressRequest } from "../compress.ts";
import type { CompressorOptions } from "./compressor.ts";
import { localHandoff } from "./local-handoff.ts";
import { failureOf, pauseAfterMs, type Summariser, type SummaryTask, summarise } from "./summarise.ts";

/** What there is to sum up. */
export interface SummaryOrder {
	readonly messages: readonly Message[];
	readonly tokens: number;
	readonly previous: string | undefined;
	/** Tokens of the window of the conversation's own model. */
	readonly window: number;
}

/** Writes the summaries of one conversation. */
export interface SummaryWriter {
	/** Undefined when there is none and the settings want none that a program wrote. Throws only when it was aborted. */
	write(request: CompressRequest, order: SummaryOrder): Promise<string | undefined>;
	/** No model is asked for a while after a failure. */
	isResting(): boolean;
	forgetFailures(): void;
}

/** Nothing has failed yet. */
export function createSummaryWriter(options: CompressorOptions): SummaryWriter {
	const { mask, emit, settings, timeoutSeconds, now = Date.now } = options;
	let restsUntil = Number.NEGATIVE_INFINITY;
	const warn = (message: string) => emit({ type: "warning", message });

	const byModel = async (request: CompressRequest, order: SummaryOrder): Promise<string | undefined> => {
		const { route, signal, focus } = request;
		const { messages, tokens, previous, window } = order;
		const task: SummaryTask = { messages, tokens, previous, focus, mask, date: new Date(now()) };
		const { client, model } = route;
		const own: Summariser = { client, model, window, timeoutSeconds, onUsed: (used) => options.onUsed?.(used, route) };
		if (options.summariser !== undefined) {
			try {
				return await summarise(task, await options.summariser(), signal);
			} catch (cause) {
				signal.throwIfAborted();
				warn(`The model of auxiliary.compression cannot be used: ${failureOf(cause)}; ${route.model} is asked instead`);
			}
		}
		try {
			return await summarise(task, own, signal);
		} catch (cause) {
			signal.throwIfAborted();
			restsUntil = now() + pauseAfterMs(cause);
			const way = settings.abortOnFailure
				? "the conversation stays as it is"
				: "the program has put one together itself";
			warn(`No model could sum the conversation up (${failureOf(cause)}); ${way}`);
			return undefined;
		}
	};

	return {
		async write(request, order) {
			const isResting = now() < restsUntil;
			const written = isResting ? undefined : await byModel(request, order);
			if (written !== undefined || settings.abortOnFailure) return written;
			return localHandoff(order.messages, order.previous, mask);
		},
		isResting: () => now() < restsUntil,
		forgetFailures() {
			restsUntil = Number.NEGATIVE_INFINITY;
		},
	};
}
