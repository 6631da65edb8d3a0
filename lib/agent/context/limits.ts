/** When a conversation is too long for its model, and how much of it stays word for word. */

/** What the settings say. */
export interface CompressionSettings {
	/** Nothing is shortened by itself when false, whatever a model says; by hand it still is. */
	readonly enabled: boolean;
	/** Part of the window that may be full. */
	readonly threshold: number;
	/** Part of that which stays word for word at the end. */
	readonly targetRatio: number;
	/** First messages that stay. */
	readonly protectFirst: number;
	/** Last messages whose results of tools stay whole, as long as they fit. */
	readonly protectLast: number;
	/** Leaves the conversation as it is when no summary can be had; else the program writes one itself. */
	readonly abortOnFailure: boolean;
}

/** Numbers of tokens that follow from a model's window. */
export interface ContextLimits {
	readonly window: number;
	/** A request of so many tokens is shortened first. */
	readonly threshold: number;
	/** What stays at the end. */
	readonly tail: number;
}

/** Below this a large window is not worth shortening for. */
const floor = 64_000;
/** A request must leave room for an answer and for what was estimated wrong. */
const fullest = 0.75;
const margin = 0.05;
const emptiest = 0.25;

/** `outputTokens`: what an answer may have, when that is known. */
export function contextLimits(
	window: number,
	{ threshold, targetRatio }: Pick<CompressionSettings, "threshold" | "targetRatio">,
	outputTokens = 0,
): ContextLimits {
	const room = window * (1 - margin) - outputTokens;
	// An answer that may be as long as the window must not leave nothing for the question.
	const ceiling = Math.max(window * emptiest, Math.min(window * fullest, room));
	const starts = Math.floor(Math.min(Math.max(window * threshold, floor), ceiling));
	const part = Math.min(0.8, Math.max(0.1, targetRatio));
	return { window, threshold: starts, tail: Math.floor(starts * part) };
}

/** Tokens that a summary of `tokens` may have. */
export function summaryTokens(tokens: number, window: number): number {
	const most = Math.min(window * 0.05, 12_000);
	return Math.floor(Math.min(Math.max(tokens * 0.2, 2_000), Math.max(most, 400)));
}
