/** The name a user most likely meant when the one typed is unknown. */

/** Longer input is no typing mistake, and comparing it would cost quadratic time. */
const longestName = 100;

/**
 * The candidate closest to `name` by edit distance (a swap of two neighbours is one edit), or undefined when none is
 * close: more than a third of the name would have to change. Case does not count; ties go to the earlier candidate.
 */
export function nearestName(name: string, candidates: Iterable<string>): string | undefined {
	if (name.length > longestName) return undefined;
	const wanted = name.toLowerCase();
	let best: string | undefined;
	let bestDistance = Math.max(1, Math.floor(wanted.length / 3)) + 1;
	for (const candidate of candidates) {
		if (Math.abs(candidate.length - wanted.length) >= bestDistance) continue;
		const distance = editDistance(wanted, candidate.toLowerCase());
		if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
	}
	return best;
}

/** Optimal string alignment distance: insert, delete, replace, and swap of two neighbours. */
function editDistance(left: string, right: string): number {
	let beforePrevious: number[] = [];
	let previous = Array.from({ length: right.length + 1 }, (_, column) => column);
	for (let row = 1; row <= left.length; row++) {
		const current = [row];
		for (let column = 1; column <= right.length; column++) {
			const same = left[row - 1] === right[column - 1];
			let cost = Math.min(
				at(previous, column) + 1,
				at(current, column - 1) + 1,
				at(previous, column - 1) + (same ? 0 : 1),
			);
			const swapped = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
			if (row > 1 && column > 1 && swapped) cost = Math.min(cost, at(beforePrevious, column - 2) + 1);
			current.push(cost);
		}
		[beforePrevious, previous] = [previous, current];
	}
	return at(previous, right.length);
}

function at(row: readonly number[], column: number): number {
	return row[column] ?? Number.POSITIVE_INFINITY;
}
