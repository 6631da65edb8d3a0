/** Which of the lines that a process prints are told, and how often. */

/** At least this long between two notices about one process. */
const windowMs = 15_000;
/** So many windows in a row with matches that were not told, and the patterns are switched off. */
const strikesAllowed = 3;
const mostLines = 20;
const mostCharacters = 2_000;

/** All processes together: more than this many notices in this time, and nothing is told for a while. */
const breakerCount = 15;
const breakerWindowMs = 10_000;
const breakerPauseMs = 30_000;

/** What is to be told. */
export type Told =
	| { readonly is: "match"; readonly pattern: string; readonly lines: readonly string[]; readonly suppressed: number }
	| { readonly is: "disabled"; readonly suppressed: number };

/** The patterns of one process. */
export interface Watcher {
	readonly isActive: boolean;
	/** Takes complete lines as they come. `now` in milliseconds. */
	look(lines: readonly string[], now: number): Told | undefined;
}

/** `patterns` are plain text that a line contains. */
export function createWatcher(patterns: readonly string[]): Watcher {
	let isActive = patterns.length > 0;
	let toldAt = Number.NEGATIVE_INFINITY;
	let suppressed = 0;
	let strikes = 0;
	let isStruck = false;
	return {
		get isActive() {
			return isActive;
		},
		look(lines, now) {
			if (!isActive) return undefined;
			const found = matches(lines, patterns);
			const [first] = found;
			if (first === undefined) return undefined;
			if (now - toldAt < windowMs) {
				suppressed += found.length;
				if (isStruck) return undefined;
				isStruck = true;
				strikes++;
				if (strikes < strikesAllowed) return undefined;
				isActive = false;
				return { is: "disabled", suppressed };
			}
			if (!isStruck) strikes = 0;
			isStruck = false;
			toldAt = now;
			const told = { is: "match", pattern: first.pattern, lines: shortened(found), suppressed } as const;
			suppressed = 0;
			return told;
		},
	};
}

interface Match {
	readonly line: string;
	readonly pattern: string;
}

function matches(lines: readonly string[], patterns: readonly string[]): Match[] {
	return lines.flatMap((line) => {
		const pattern = patterns.find((one) => line.includes(one));
		return pattern === undefined ? [] : [{ line, pattern }];
	});
}

function shortened(found: readonly Match[]): string[] {
	let left = mostCharacters;
	return found.slice(0, mostLines).flatMap(({ line }) => {
		const kept = line.slice(0, Math.max(0, left));
		left -= kept.length + 1;
		return kept === "" ? [] : [kept];
	});
}

/** What the breaker says to one more match. */
export type BreakerVerdict =
	| { readonly pass: true; readonly released?: number }
	/** `tripped` is true for the first that does not pass. */
	| { readonly pass: false; readonly tripped: boolean };

/** Watches over the matches of all processes. */
export function createBreaker(): (now: number) => BreakerVerdict {
	let passed: number[] = [];
	let closedUntil: number | undefined;
	let suppressed = 0;
	return (now) => {
		if (closedUntil !== undefined && now < closedUntil) {
			suppressed++;
			return { pass: false, tripped: false };
		}
		const released = closedUntil === undefined ? {} : { released: suppressed };
		closedUntil = undefined;
		passed = [...passed.filter((at) => now - at < breakerWindowMs), now];
		if (passed.length <= breakerCount) return { pass: true, ...released };
		closedUntil = now + breakerPauseMs;
		passed = [];
		suppressed = 1;
		return { pass: false, tripped: true };
	};
}
