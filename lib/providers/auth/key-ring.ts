/** A client that can be given another key in the middle of a conversation. */

import { type ModelClient, ProviderRefused } from "../provider.ts";
import { chooseKey, isAboutKey, restMs, type Strategy } from "./choose-key.ts";
import type { HealthTable } from "./key-health.ts";
import type { ProviderKey } from "./provider-keys.ts";

/** What a ring is made of. */
export interface KeyRingOptions {
	readonly providerId: string;
	/** In the order of their use; more than one. */
	readonly keys: readonly ProviderKey[];
	readonly strategy: Strategy;
	readonly health: HealthTable;
	/** Opens a client that uses `key`. */
	open(key: ProviderKey): Promise<ModelClient>;
	readonly now?: () => number;
	readonly random?: () => number;
}

/** A client, and the way to its next key. */
export interface KeyRing {
	readonly client: ModelClient;
	/** The key in use. */
	readonly current: ProviderKey;
	/**
	 * Lets the key rest that was refused and takes another; false when the refusal is not about the key, or none is left. The first
	 * rate limit that does not say how long it lasts is tried once more with the same key: many are over at once.
	 */
	rotateKey(refused: ProviderRefused, signal: AbortSignal): Promise<boolean>;
}

/** @throws {ProviderRefused} When all keys rest. */
export async function openKeyRing(options: KeyRingOptions): Promise<KeyRing> {
	const { keys, health, strategy, providerId, now = Date.now, random = Math.random } = options;
	const choose = () => chooseKey(keys, { strategy, health, now: now(), random });
	let current = choose();
	if (current === undefined) throw allRest(options, now());
	let client = await options.open(current);
	let warned: string | undefined;
	health.countUse(current.fingerprint);

	return {
		get current() {
			return current ?? keys[0] ?? nobody(providerId);
		},
		client: {
			async *complete(request, signal) {
				for await (const chunk of client.complete(request, signal)) {
					if (chunk.type === "finished" && current !== undefined) {
						warned = undefined;
						health.forgive(current.fingerprint);
					}
					yield chunk;
				}
			},
		},
		async rotateKey(refused) {
			if (current === undefined || !isAboutKey(refused)) return false;
			const { fingerprint } = current;
			if (isFirstWarning(refused) && warned !== fingerprint) {
				warned = fingerprint;
				return true;
			}
			const until = now() + restMs(refused, health.of(fingerprint).refusals);
			health.rest(fingerprint, { until, reason: refused.kind, dead: refused.kind === "auth_permanent" });
			const next = choose();
			if (next === undefined) return false;
			client = await options.open(next);
			current = next;
			health.countUse(next.fingerprint);
			return true;
		},
	};
}

/** A limit of the plan does not pass by itself. */
function isFirstWarning({ kind, hints, message }: ProviderRefused): boolean {
	return kind === "rate_limit" && hints.retryAfterMs === undefined && !/usage limit/i.test(message);
}

function allRest({ keys, health, providerId }: KeyRingOptions, now: number): ProviderRefused {
	const states = keys.map(({ fingerprint }) => health.of(fingerprint));
	const alive = states.filter(({ dead }) => !dead);
	if (alive.length === 0) {
		return new ProviderRefused(
			"auth_permanent",
			`Cannot use provider ${providerId}: none of its keys is accepted any more`,
		);
	}
	const waitMs = Math.max(0, Math.min(...alive.map(({ restsUntil }) => restsUntil)) - now);
	const state = `all of its keys were refused; the first may be used again in ${Math.ceil(waitMs / 1000)} s`;
	return new ProviderRefused("rate_limit", `Cannot use provider ${providerId}: ${state}`, {
		hints: { retryAfterMs: waitMs },
	});
}

function nobody(providerId: string): never {
	throw new ProviderRefused("settings", `Cannot use provider ${providerId}: it has no key`);
}
