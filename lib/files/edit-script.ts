/** The shortest list of line changes between two texts (Myers), for diffs that people and models read. */

/** One line of a comparison. */
export interface Change {
	readonly kind: "same" | "removed" | "added";
	readonly line: string;
}

/** Changes beyond this many are shown as one block: the search costs their square. */
const mostChanges = 1_000;

/** How `before` becomes `after`, line by line. */
export function editScript(before: readonly string[], after: readonly string[]): Change[] {
	let start = 0;
	while (start < before.length && start < after.length && before[start] === after[start]) start++;
	let end = 0;
	const most = Math.min(before.length, after.length) - start;
	while (end < most && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
	return [
		...before.slice(0, start).map(same),
		...middle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
		...before.slice(before.length - end).map(same),
	];
}

function middle(before: readonly string[], after: readonly string[]): Change[] {
	const trace = before.length === 0 || after.length === 0 ? undefined : shortestTrace(before, after);
	if (trace !== undefined) return walkBack(trace, before, after);
	return [
		...before.map((line): Change => ({ kind: "removed", line })),
		...after.map((line): Change => ({ kind: "added", line })),
	];
}

/** For each number of changes, how far each diagonal reached; undefined when there are too many changes. */
function shortestTrace(before: readonly string[], after: readonly string[]): Map<number, number>[] | undefined {
	const trace: Map<number, number>[] = [];
	let reached = new Map([[1, 0]]);
	for (let changes = 0; changes <= Math.min(before.length + after.length, mostChanges); changes++) {
		trace.push(reached);
		const next = new Map<number, number>();
		for (let diagonal = -changes; diagonal <= changes; diagonal += 2) {
			let row = comesFromAbove(reached, diagonal, changes) ? at(reached, diagonal + 1) : at(reached, diagonal - 1) + 1;
			while (row < before.length && row - diagonal < after.length && before[row] === after[row - diagonal]) row++;
			next.set(diagonal, row);
			if (row >= before.length && row - diagonal >= after.length) return trace;
		}
		reached = next;
	}
	return undefined;
}

function walkBack(
	trace: readonly Map<number, number>[],
	before: readonly string[],
	after: readonly string[],
): Change[] {
	const changes: Change[] = [];
	let row = before.length;
	let column = after.length;
	for (let step = trace.length - 1; step >= 0; step--) {
		const reached = trace[step] ?? new Map<number, number>();
		const diagonal = row - column;
		const above = comesFromAbove(reached, diagonal, step);
		const previous = above ? diagonal + 1 : diagonal - 1;
		const fromRow = at(reached, previous);
		const fromColumn = fromRow - previous;
		for (; row > fromRow && column > fromColumn; column--) changes.push(same(before[--row] ?? ""));
		if (step === 0) break;
		changes.push(
			above ? { kind: "added", line: after[column - 1] ?? "" } : { kind: "removed", line: before[row - 1] ?? "" },
		);
		row = fromRow;
		column = fromColumn;
	}
	return changes.reverse();
}

function comesFromAbove(reached: ReadonlyMap<number, number>, diagonal: number, changes: number): boolean {
	return diagonal === -changes || (diagonal !== changes && at(reached, diagonal - 1) < at(reached, diagonal + 1));
}

function at(reached: ReadonlyMap<number, number>, diagonal: number): number {
	return reached.get(diagonal) ?? -1;
}

function same(line: string): Change {
	return { kind: "same", line };
}
