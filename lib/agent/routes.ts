/** Who is asked: the model that was chosen, and those that take its place while it cannot answer. */

import { type ModelClient, ProviderRefused, type RefusalKind } from "../providers/provider.ts";
import type { Clock } from "./clock.ts";

/** How long a model is left alone that had too many requests, or that nothing is left to pay for. */
const coolDownMs = 60_000;
const restingKinds: readonly RefusalKind[] = ["rate_limit", "billing"];

/** One model of one provider, ready to be asked. */
export interface ModelRoute {
	readonly client: ModelClient;
	readonly model: string;
	readonly providerId: string;
	readonly baseUrl?: string;
	/**
	 * Puts another key in the place of the one that was refused; false when there is none. It is told each refusal once and
	 * decides by itself whether the same key may be tried again.
	 */
	rotateKey?(refused: ProviderRefused, signal: AbortSignal): Promise<boolean>;
}

/** A model to ask when others cannot. It is opened only then. */
export interface FallbackModel extends Omit<ModelRoute, "client" | "rotateKey"> {
	/** @throws {ProviderRefused} When a setting is missing; the next one is tried then. */
	open(signal: AbortSignal): Promise<Pick<ModelRoute, "client" | "rotateKey">>;
}

/** The models of one conversation. */
export interface Routes {
	readonly current: ModelRoute;
	readonly isFallback: boolean;
	/** Goes on to the next model that is not the same under another name; undefined when none is left for this turn. */
	next(refused: ProviderRefused, signal: AbortSignal): Promise<ModelRoute | undefined>;
	/** Begins a turn: back to the chosen model, unless it still needs rest. */
	restore(): void;
}

/** What routes are made of. */
export interface RouteOptions {
	readonly chosen: ModelRoute;
	readonly fallbacks: readonly FallbackModel[];
	readonly clock: Clock;
	/** Told of a model that could not be opened. */
	onSkipped(message: string): void;
}

/** Begins with the chosen model. */
export function createRoutes({ chosen, fallbacks, clock, onSkipped }: RouteOptions): Routes {
	const opened = new Map<FallbackModel, ModelRoute>();
	let current = chosen;
	let tried: Pick<ModelRoute, "model" | "providerId" | "baseUrl">[] = [chosen];
	let restsUntil = Number.NEGATIVE_INFINITY;

	const open = async (fallback: FallbackModel, signal: AbortSignal): Promise<ModelRoute | undefined> => {
		const known = opened.get(fallback);
		if (known !== undefined) return known;
		try {
			const { open: _, ...names } = fallback;
			const route = { ...names, ...(await fallback.open(signal)) };
			opened.set(fallback, route);
			return route;
		} catch (cause) {
			if (!(cause instanceof ProviderRefused)) throw cause;
			onSkipped(`${fallback.model} of ${fallback.providerId} is left out: ${cause.message}`);
			return undefined;
		}
	};

	return {
		get current() {
			return current;
		},
		get isFallback() {
			return current !== chosen;
		},
		async next(refused, signal) {
			if (current === chosen && restingKinds.includes(refused.kind)) {
				restsUntil = clock.now() + Math.max(coolDownMs, refused.hints.retryAfterMs ?? 0);
			}
			for (const fallback of fallbacks) {
				if (tried.some((other) => isSame(other, fallback))) continue;
				tried.push(fallback);
				const route = await open(fallback, signal);
				if (route === undefined) continue;
				current = route;
				return route;
			}
			return undefined;
		},
		restore() {
			if (clock.now() >= restsUntil) current = chosen;
			tried = current === chosen ? [chosen] : [chosen, current];
		},
	};
}

/** One model may have several names for its provider, but not for its address (#22548). */
function isSame(one: Omit<ModelRoute, "client">, other: Omit<ModelRoute, "client">): boolean {
	if (one.model !== other.model) return false;
	if (one.baseUrl !== undefined && other.baseUrl !== undefined) return one.baseUrl === other.baseUrl;
	return one.providerId === other.providerId;
}
