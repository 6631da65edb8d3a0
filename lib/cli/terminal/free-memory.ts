/** Gives memory back that only the opening of a chat, or a turn, has needed: a chat may stay open for days. */

import { readFileSync } from "node:fs";
import { openCLibrary } from "../../base/c-library.ts";

/** Gives memory back while nothing happens. */
export interface MemoryRelease {
	/** Nothing happens any more. */
	rest(): void;
	/** Something happens again. */
	wake(): void;
}

/** Somebody who answers at once has not to wait for it. */
const restMs = 500;
/** The advice of madvise(2) that pages are not needed; the same number for every Linux. */
const notNeeded = 4;

/** Nothing is given back until the first rest. */
export function createMemoryRelease(): MemoryRelease {
	let timer: ReturnType<typeof setTimeout> | undefined;
	const wake = () => clearTimeout(timer);
	return {
		wake,
		rest() {
			wake();
			timer = setTimeout(() => {
				Bun.gc(true);
				Bun.shrink();
				// Nothing fails where the system refuses: the pages stay.
				void releaseCode().catch(() => {});
			}, restMs);
			timer.unref();
		},
	};
}

/**
 * Lets the system take the pages of the executable's own code back, most of which only the start has needed: about half of what
 * a chat holds. Those that are needed again come from the file.
 */
async function releaseCode(): Promise<void> {
	if (process.platform !== "linux") return;
	const ranges = unchangedCode(readFileSync("/proc/self/smaps", "latin1"), process.execPath);
	const library = ranges.length === 0 ? undefined : await openCLibrary();
	if (library === undefined) return;
	const { u64, i32 } = library.FFIType;
	const { symbols, close } = library.dlopen(library.path, { madvise: { args: [u64, u64, i32], returns: i32 } });
	for (const { start, end } of ranges) symbols.madvise(start, end - start, notNeeded);
	close();
}

/**
 * Where code of `program` is in memory, by `smaps`, the text of /proc/PID/smaps. What somebody has written into, as debuggers
 * do, is left out: it is nowhere else.
 */
export function unchangedCode(
	smaps: string,
	program: string,
): readonly { readonly start: bigint; readonly end: bigint }[] {
	const areas = smaps.split(/^(?=[\da-f]+-[\da-f]+ )/m);
	return areas.flatMap((area) => {
		const [, start, end, path] = /^([\da-f]+)-([\da-f]+) r-xp \S+ \S+ \S+ +(.*)$/m.exec(area) ?? [];
		const isUnchanged = /^Anonymous: +0 kB$/m.test(area);
		return path === program && isUnchanged ? [{ start: BigInt(`0x${start}`), end: BigInt(`0x${end}`) }] : [];
	});
}
