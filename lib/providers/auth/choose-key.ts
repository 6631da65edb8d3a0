/** Which of several keys is used next, and how long one rests that was refused. */

import type { ProviderRefused, RefusalKind } from "../provider.ts";
import type { HealthTable, KeyHealth } from "./key-health.ts";
import type { ProviderKey } from "./provider-keys.ts";

/** How keys take turns. */
export const strategies = ["fill_first", "round_robin", "random", "least_used"] as const;

/** One of them. */
export type Strategy = (typeof strategies)[number];

/** What a choice depends on besides the keys. */
export interface ChoiceContext {
	readonly strategy: Strategy;
	readonly health: Pick<HealthTable, "of">;
	/** The clock, in milliseconds. */
	readonly now: number;
	/** From 0 up to 1. */
	readonly random: () => number;
}

/** Undefined when all of them rest or are dead. */
export function chooseKey(
	keys: readonly ProviderKey[],
	{ strategy, health, now, random }: ChoiceContext,
): ProviderKey | undefined {
	const usable = keys
		.map((key) => ({ key, state: health.of(key.fingerprint) }))
		.filter(({ state }) => !state.dead && state.restsUntil <= now);
	const by = (rank: (state: KeyHealth) => number) =>
		usable.toSorted((one, other) => rank(one.state) - rank(other.state))[0]?.key;
	switch (strategy) {
		case "fill_first":
			return usable[0]?.key;
		case "round_robin":
			return by(({ lastUse }) => lastUse);
		case "least_used":
			return by(({ uses }) => uses);
		case "random":
			return usable[Math.floor(random() * usable.length)]?.key;
	}
}

const minuteMs = 60_000;
const longestMs = 60 * minuteMs;

/** How long a key rests after its first refusal of a kind; a kind that is missing says nothing about the key. */
const firstRestMs: Readonly<Partial<Record<RefusalKind, number>>> = {
	auth: 5 * minuteMs,
	auth_permanent: 0,
	billing: longestMs,
	rate_limit: minuteMs,
};

/** Whether a refusal is about the key, so that another may do better. */
export function isAboutKey({ kind }: Pick<ProviderRefused, "kind">): boolean {
	return firstRestMs[kind] !== undefined;
}

/** What the provider says counts; else a refusal in a row doubles the rest, an hour at most. */
export function restMs({ kind, hints }: Pick<ProviderRefused, "kind" | "hints">, refusalsBefore: number): number {
	if (hints.retryAfterMs !== undefined) return hints.retryAfterMs;
	return Math.min((firstRestMs[kind] ?? 0) * 2 ** Math.min(refusalsBefore, 10), longestMs);
}
