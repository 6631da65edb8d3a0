/** The name somebody probably meant. */

/** The entry of `known` with the fewest edits from `name`; undefined when none is closer than half of its letters. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
	const lower = name.slice(0, 100).toLowerCase();
	let best: { candidate: string; distance: number } | undefined;
	for (const candidate of known) {
		const distance = editDistance(lower, candidate.toLowerCase());
		if (best === undefined || distance < best.distance) best = { candidate, distance };
	}
	if (best === undefined || best.distance > Math.max(1, Math.floor(best.candidate.length / 2))) return undefined;
	return best.candidate;
}

function editDistance(a: string, b: string): number {
	let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
	for (let row = 1; row <= a.length; row++) {
		const current = [row];
		for (let column = 1; column <= b.length; column++) {
			const substitution = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
			current.push(Math.min(substitution, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
		}
		previous = current;
	}
	return previous[b.length] ?? 0;
}
