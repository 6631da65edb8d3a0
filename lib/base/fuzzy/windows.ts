/** Where a list of lines stands inside a longer one, in linear time (Knuth, Morris and Pratt). */

/** Indices in `lines` at which all of `wanted` follows, left to right; a hit never begins inside the one before. */
export function findWindows(lines: readonly string[], wanted: readonly string[]): number[] {
	const hits: number[] = [];
	if (wanted.length === 0 || wanted.length > lines.length) return hits;
	const fallback = fallbacksOf(wanted);
	let matched = 0;
	for (let at = 0; at < lines.length; at++) {
		const line = lines[at];
		while (matched > 0 && line !== wanted[matched]) matched = fallback[matched - 1] ?? 0;
		if (line === wanted[matched]) matched++;
		if (matched < wanted.length) continue;
		hits.push(at - wanted.length + 1);
		matched = 0;
	}
	return hits;
}

/** For every prefix of `wanted`, the length of its longest proper suffix that begins `wanted` too. */
function fallbacksOf(wanted: readonly string[]): number[] {
	const fallback = [0];
	let matched = 0;
	for (let at = 1; at < wanted.length; at++) {
		while (matched > 0 && wanted[at] !== wanted[matched]) matched = fallback[matched - 1] ?? 0;
		if (wanted[at] === wanted[matched]) matched++;
		fallback.push(matched);
	}
	return fallback;
}
