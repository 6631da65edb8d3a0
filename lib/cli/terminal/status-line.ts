/** The lowest line of the chat: who answers, where commands run, how full the model's memory is, and what it has cost. */

import type { Component } from "@earendil-works/pi-tui";
import { cut } from "./blocks.ts";
import type { PiTui } from "./pi-tui.ts";
import type { Theme } from "./theme.ts";

/** What is known; the rest is left out. */
export interface StatusFacts {
	readonly model?: string | undefined;
	/** `local:~/project`. */
	readonly place?: string | undefined;
	/** Tokens of the last question to the model, and how many it can take. */
	readonly context?: { readonly used: number; readonly limit?: number | undefined } | undefined;
	/** US dollars. */
	readonly cost?: number | undefined;
	/** Words that wait for the end of the turn. */
	readonly queued?: number;
	/** Sub-agents that work now. */
	readonly subagents?: number;
	/** Such as a hint about a key; it comes first. */
	readonly hint?: string | undefined;
}

/** The status line, which is none without facts; `facts` is read for each frame. Facts must be safe for a terminal. */
export function statusLine(pi: PiTui, theme: Theme, facts: () => StatusFacts): Component {
	return {
		render(width) {
			const text = statusText(facts());
			return text === "" ? [] : [cut(pi, theme.dim(text), width)];
		},
		invalidate() {},
	};
}

/** What the line says. */
export function statusText({ model, place, context, cost, queued = 0, subagents = 0, hint }: StatusFacts): string {
	return [
		hint,
		model,
		place,
		context === undefined ? undefined : contextText(context),
		cost === undefined ? undefined : `$${cost.toFixed(cost < 1 ? 4 : 2)}`,
		subagents === 0 ? undefined : `${subagents} sub-agent${subagents === 1 ? "" : "s"}`,
		queued === 0 ? undefined : `${queued} waiting`,
	]
		.filter((part) => part !== undefined && part !== "")
		.join(" · ");
}

function contextText({ used, limit }: { readonly used: number; readonly limit?: number | undefined }): string {
	if (limit === undefined || limit <= 0) return `${shortCount(used)} tokens`;
	return `${shortCount(used)}/${shortCount(limit)} (${Math.round((used / limit) * 100)}%)`;
}

function shortCount(count: number): string {
	if (count < 1000) return String(count);
	return count < 1_000_000
		? `${(count / 1000).toFixed(count < 10_000 ? 1 : 0)}k`
		: `${(count / 1_000_000).toFixed(1)}M`;
}
