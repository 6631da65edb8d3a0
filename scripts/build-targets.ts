/** Executables for other machines than this one: built one by one, with patience for the network. */

import type { Target } from "./targets.ts";

/** How targets are built. */
export interface TargetsPlan {
	readonly chosen: readonly Target[];
	build(target: Target): Promise<unknown>;
	/** Told of every executable when it is there. */
	onBuilt(target: Target, seconds: number): void;
}

/** What Bun says when it cannot fetch its own program for another machine. */
const fetchFailure = /Failed to download '([^']+)': (\S+)/;

/**
 * Builds each target of the plan.
 * @throws {Error} When a target cannot be built.
 */
export async function buildTargets({ chosen, build, onBuilt }: TargetsPlan): Promise<void> {
	// One after the other: bundling uses every core already.
	for (const target of chosen) {
		const startedAt = performance.now();
		await withFetchedBase(target.name, () => build(target));
		onBuilt(target, (performance.now() - startedAt) / 1000);
	}
}

/**
 * Runs `build` a second time when fetching the base failed: networks stumble.
 * @throws {Error} What `build` throws; a failed fetch as one line that says what was missing.
 */
export async function withFetchedBase(name: string, build: () => Promise<unknown>): Promise<void> {
	try {
		await build();
	} catch (first) {
		if (fetchFailureOf(first) === undefined) throw first;
		await build().catch((cause: unknown) => {
			const failure = fetchFailureOf(cause);
			if (failure === undefined) throw cause;
			throw new Error(
				`Cannot build for "${name}": ${failure.base} was not to be had from the package registry (${failure.reason}); once fetched it stays in Bun's cache`,
				{ cause },
			);
		});
	}
}

function fetchFailureOf(error: unknown): { readonly base: string; readonly reason: string } | undefined {
	const errors: readonly unknown[] = error instanceof AggregateError ? error.errors : [error];
	for (const each of errors) {
		const [, base, reason] = fetchFailure.exec(String(each)) ?? [];
		if (base !== undefined && reason !== undefined) return { base, reason };
	}
	return undefined;
}
