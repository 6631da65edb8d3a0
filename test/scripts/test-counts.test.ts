/** The summary of a test run, as it is printed on a terminal and in a file. */

import { describe, expect, test } from "bun:test";
import { failedTests, lastTestFile, testCounts } from "../../scripts/test-counts.ts";

describe("testCounts()", () => {
	test.each([
		["a green run", " 24 pass\n 0 fail\n 23 expect() calls\nRan 24 tests across 1 file. [21.00ms]\n", [24, 0, 0]],
		["skipped and todo tests", " 24 pass\n 3 skip\n 2 todo\n 1 fail\nRan 30 tests\n", [24, 1, 5]],
		["colours", "\x1b[0m\x1b[32m 7 pass\x1b[0m\n\x1b[0m\x1b[2m 0 fail\x1b[0m\n", [7, 0, 0]],
		["a test that prints a summary of its own", " 1 pass\n 1 fail\n(pass) outer\n 9 pass\n 0 fail\n", [9, 0, 0]],
	])("reads %s", (_, text, [passed, failed, skipped]) => {
		expect<unknown>(testCounts(text)).toEqual({ passed, failed, skipped });
	});

	test("gives nothing when the run ended without a summary", () => {
		expect(testCounts("(pass) one\npanic: out of memory\n")).toBeUndefined();
	});
});

const run = `bun test v1.4.5 (a7733435c)

test/a.test.ts:
(pass) group > works [0.03ms]
\x1b[0m\x1b[31m(fail)\x1b[0m group > breaks [50.21ms]
(fail) has [brackets]
test/b.test.ts:

# Unhandled error between tests
-------------------------------
error: cannot load

2 tests failed:
(fail) group > breaks [50.21ms]
(fail) has [brackets]

 1 pass
 3 fail
`;

describe("failedTests()", () => {
	test("gives every failure once, with its file", () => {
		expect(failedTests(run)).toEqual([
			"test/a.test.ts: group > breaks",
			"test/a.test.ts: has [brackets]",
			"test/b.test.ts: an error outside of its tests",
		]);
	});
});

describe("lastTestFile()", () => {
	test("gives the file that was running when the output ended", () => {
		expect([lastTestFile(run), lastTestFile("")]).toEqual(["test/b.test.ts", undefined]);
	});
});
