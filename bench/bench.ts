/** The contract of a bench (a file in `bench/` exports one by default), and how one is measured. */

/** An opened bench: two operations that can be repeated any number of times. */
export interface Pair extends AsyncDisposable {
	/** What we pay for. */
	operation(): Promise<unknown>;
	/** The least that it could cost on this machine: the same work without us. */
	floor(): Promise<unknown>;
}

/** One comparison of an operation of ours with its floor. */
export interface Bench {
	/** What is measured, for the table: `hermes --version`. */
	readonly operation: string;
	/** What it is compared with. */
	readonly floor: string;
	/** Measured pairs; a tenth of it, at least three, come before as warm-up. */
	readonly samples: number;
	/** The ratio of the medians that we want to stay under. It is shown, and nothing fails when it is missed. */
	readonly target?: number;
	open(): Promise<Pair>;
}

/** Median and 95th percentile, in milliseconds. */
export interface Spread {
	readonly p50: number;
	readonly p95: number;
}

/** What one bench found. */
export interface Comparison {
	readonly name: string;
	readonly operation: Spread;
	readonly floor: Spread;
	/** Median of the operation over median of the floor. */
	readonly ratio: number;
	readonly target?: number;
}

/** Keeps the type of a bench. */
export function defineBench(bench: Bench): Bench {
	return bench;
}

/** Measures `bench`: operation and floor alternate, and who goes first alternates too, so that drift hits both alike. */
export async function measure(name: string, bench: Bench): Promise<Comparison> {
	await using pair = await bench.open();
	const warmUps = Math.max(3, Math.ceil(bench.samples / 10));
	const operation: number[] = [];
	const floor: number[] = [];
	for (let sample = -warmUps; sample < bench.samples; sample++) {
		const took = await alternate(pair, sample % 2 === 0);
		if (sample < 0) continue;
		operation.push(took.operation);
		floor.push(took.floor);
	}
	const ours = spread(operation);
	const least = spread(floor);
	return {
		name,
		operation: ours,
		floor: least,
		ratio: ours.p50 / least.p50,
		...(bench.target !== undefined && { target: bench.target }),
	};
}

/** Nearest-rank median and 95th percentile of `milliseconds`, which must not be empty. */
export function spread(milliseconds: readonly number[]): Spread {
	const sorted = milliseconds.toSorted((a, b) => a - b);
	const at = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
	return { p50: at(0.5), p95: at(0.95) };
}

async function alternate(pair: Pair, operationFirst: boolean): Promise<{ operation: number; floor: number }> {
	const timeOperation = () => timed(() => pair.operation());
	const timeFloor = () => timed(() => pair.floor());
	if (operationFirst) return { operation: await timeOperation(), floor: await timeFloor() };
	const floor = await timeFloor();
	return { operation: await timeOperation(), floor };
}

async function timed(run: () => Promise<unknown>): Promise<number> {
	const startedAt = performance.now();
	await run();
	return performance.now() - startedAt;
}
