/** Reads how many tests passed, failed and were skipped from the summary that `bun test` prints. */

/** The numbers of one test run. */
export interface TestCounts {
	readonly passed: number;
	readonly failed: number;
	readonly skipped: number;
}

/** The counts in the last summary of `text` (with or without colours); undefined when it has none. */
export function testCounts(text: string): TestCounts | undefined {
	const lines = Bun.stripANSI(text).split("\n");
	const passed = lastCount(lines, "pass");
	const failed = lastCount(lines, "fail");
	if (passed === undefined || failed === undefined) return undefined;
	return { passed, failed, skipped: (lastCount(lines, "skip") ?? 0) + (lastCount(lines, "todo") ?? 0) };
}

function lastCount(lines: readonly string[], word: string): number | undefined {
	const form = new RegExp(`^ *(\\d+) ${word}$`);
	const line = lines.findLast((candidate) => form.test(candidate));
	return line === undefined ? undefined : Number(form.exec(line)?.[1]);
}
