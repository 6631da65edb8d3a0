/** Reads from what `bun test` prints how many tests passed, failed and were skipped, and which failed. */

/** The numbers of one test run. */
export interface TestCounts {
	readonly passed: number;
	readonly failed: number;
	readonly skipped: number;
}

/** The counts in the last summary of `text` (with or without colours); undefined when it has none. */
export function testCounts(text: string): TestCounts | undefined {
	const lines = plainLines(text);
	const passed = lastCount(lines, "pass");
	const failed = lastCount(lines, "fail");
	if (passed === undefined || failed === undefined) return undefined;
	return { passed, failed, skipped: (lastCount(lines, "skip") ?? 0) + (lastCount(lines, "todo") ?? 0) };
}

/** Where and what failed, one line each: `test/a.test.ts: group > name`. */
export function failedTests(text: string): readonly string[] {
	const lines = plainLines(text);
	// A long run ends with the same lines once more, without the names of the files.
	const repetition = lines.findIndex((line) => /^\d+ tests? (failed|skipped):$/.test(line));
	const failed: string[] = [];
	let file = "";
	for (const line of lines.slice(0, repetition < 0 ? lines.length : repetition)) {
		file = fileHeader.exec(line)?.[1] ?? file;
		const name = failureName(line);
		if (name !== undefined) failed.push(`${file}: ${name}`);
	}
	return failed;
}

/** The file whose tests ran when the output ended. */
export function lastTestFile(text: string): string | undefined {
	return fileHeader.exec(plainLines(text).findLast((line) => fileHeader.test(line)) ?? "")?.[1];
}

const fileHeader = /^(\S+\.test\.ts):$/;

function failureName(line: string): string | undefined {
	if (line === "# Unhandled error between tests") return "an error outside of its tests";
	return /^\(fail\) (.*?)(?: \[[\d.]+m?s\])?$/.exec(line)?.[1];
}

function plainLines(text: string): string[] {
	return Bun.stripANSI(text).split("\n");
}

function lastCount(lines: readonly string[], word: string): number | undefined {
	const form = new RegExp(`^ *(\\d+) ${word}$`);
	const line = lines.findLast((candidate) => form.test(candidate));
	return line === undefined ? undefined : Number(form.exec(line)?.[1]);
}
