/** What is done about a model call that failed: an ordered list, from the cheapest way on to another model. */

import type { ProviderRefused, RefusalKind } from "../../providers/provider.ts";

/** What was tried already for this answer, with the model that is asked now. */
export interface Attempts {
	/** Calls that failed, the last one included. */
	failed: number;
	rotations: number;
	outputFitted: boolean;
	withoutReplay: boolean;
	withoutImages: boolean;
	plainSchemas: boolean;
}

/** Nothing was tried yet. */
export function noAttempts(): Attempts {
	return {
		failed: 0,
		rotations: 0,
		outputFitted: false,
		withoutReplay: false,
		withoutImages: false,
		plainSchemas: false,
	};
}

/** A failed call, and how far one may go. */
export interface Situation {
	readonly refused: ProviderRefused;
	readonly attempts: Readonly<Attempts>;
	/** Tries that a passing failure gets. */
	readonly mostAttempts: number;
	/** At least 0, less than 1. */
	readonly random: number;
}

/** A way on. One that turns out not to be there (no other key, no other model) leaves it to the next recovery. */
export type Action =
	| { readonly do: "rotate_key" }
	| { readonly do: "without_replay" }
	| { readonly do: "without_images" }
	| { readonly do: "plain_schemas" }
	| { readonly do: "limit_output"; readonly tokens: number }
	| { readonly do: "compress" }
	| { readonly do: "another_model" }
	| { readonly do: "wait"; readonly waitMs: number };

/** One entry of the list. */
export interface Recovery {
	readonly name: string;
	/** The failures it is about. */
	readonly kinds: readonly RefusalKind[];
	/** Undefined when it does not help, or not any more. */
	decide(situation: Situation): Action | undefined;
}

/** Failures that may be over in a moment. A bill that is not paid is none: asking again has cost people money (#31273). */
export const passingKinds: readonly RefusalKind[] = [
	"rate_limit",
	"overloaded",
	"server_error",
	"network",
	"stalled",
	"unreadable",
];

/** Failures that the same model would answer with again. */
const lastingKinds: readonly RefusalKind[] = [
	"settings",
	"auth",
	"auth_permanent",
	"billing",
	"long_context_limit",
	"context_overflow",
	"payload_too_large",
	"image_too_large",
	"image_rejected",
	"model_not_found",
	"policy_blocked",
	"content_blocked",
	"replay_rejected",
	"schema_rejected",
	"bad_request",
];

const mostRotations = 8;
/** What a provider may be off by when it says how many tokens are left. */
const outputMargin = 64;

/** Tried from the top. A kind that is in none of them (`tape`) ends the turn. */
export const recoveries: readonly Recovery[] = [
	{
		name: "another_key",
		kinds: ["auth", "auth_permanent", "billing", "rate_limit"],
		decide: ({ attempts }) => (attempts.rotations < mostRotations ? { do: "rotate_key" } : undefined),
	},
	{
		name: "without_earlier_reasoning",
		kinds: ["replay_rejected"],
		decide: ({ attempts }) => (attempts.withoutReplay ? undefined : { do: "without_replay" }),
	},
	{
		// An image that was refused once is refused in every request that follows: it would end the conversation.
		name: "without_images",
		kinds: ["image_too_large", "image_rejected"],
		decide: ({ attempts }) => (attempts.withoutImages ? undefined : { do: "without_images" }),
	},
	{
		name: "plain_schemas",
		kinds: ["schema_rejected"],
		decide: ({ attempts }) => (attempts.plainSchemas ? undefined : { do: "plain_schemas" }),
	},
	{
		// The conversation fits, only the answer was allowed to be too long: nothing has to be given up.
		name: "shorter_answer",
		kinds: ["context_overflow"],
		decide({ attempts, refused }) {
			const tokens = (refused.hints.outputTokensLeft ?? 0) - outputMargin;
			return attempts.outputFitted || tokens <= 0 ? undefined : { do: "limit_output", tokens };
		},
	},
	{
		name: "shorter_conversation",
		kinds: ["context_overflow", "payload_too_large", "long_context_limit"],
		decide: () => ({ do: "compress" }),
	},
	{
		// A few questions with many images are too much as well, and there is nothing to sum up. And a provider that takes no images
		// says so in words that nobody can list: each later question would be refused as well.
		name: "without_images",
		kinds: ["payload_too_large", "bad_request"],
		decide: ({ attempts }) => (attempts.withoutImages ? undefined : { do: "without_images" }),
	},
	{
		name: "another_model_at_once",
		kinds: ["rate_limit", "unreadable", ...lastingKinds],
		decide: () => ({ do: "another_model" }),
	},
	{
		name: "ask_again",
		kinds: passingKinds,
		decide({ refused, attempts, mostAttempts, random }) {
			if (attempts.failed >= mostAttempts) return undefined;
			const waitMs = waitBefore(refused, attempts.failed, random);
			return waitMs === undefined ? undefined : { do: "wait", waitMs };
		},
	},
	{
		name: "another_model",
		kinds: passingKinds,
		decide: () => ({ do: "another_model" }),
	},
];

/** Nobody waits longer for a provider that says when it can be asked again. */
const longestAskedFor = 120_000;

/**
 * Milliseconds before the next try after `failed` ones: what the provider asks for, else doubling from 2 s to 60 s (5 s to 120 s
 * for answers that make no sense), and up to half as much again by chance so that many do not come back together.
 */
function waitBefore({ kind, hints }: ProviderRefused, failed: number, random: number): number | undefined {
	const { retryAfterMs } = hints;
	if (retryAfterMs !== undefined) return retryAfterMs > longestAskedFor ? undefined : retryAfterMs;
	const [first, longest] = kind === "unreadable" ? [5_000, 120_000] : [2_000, 60_000];
	return Math.round(Math.min(first * 2 ** (failed - 1), longest) * (1 + random / 2));
}
