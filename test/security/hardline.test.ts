/** The hard line: what no setting may let run. */

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the table holds shell text

import { describe, expect, test } from "bun:test";
import { hardlineReason } from "../../lib/security/hardline.ts";
import { processorMs } from "../support/processor-time.ts";
import { allowed, blocked, deletes, findDeletes } from "./hardline-cases.ts";

describe("hardlineReason() blocks", () => {
	for (const [reason, commands] of Object.entries(blocked)) {
		test.each(commands)("%j", (command) => {
			expect(hardlineReason(command)).toBe(reason);
		});
	}
});

describe("hardlineReason() leaves alone", () => {
	test.each(allowed)("%j", (command) => {
		expect(hardlineReason(command)).toBeUndefined();
	});
});

describe("hardlineReason() knows the place", () => {
	test.each([
		["rm -rf *", "/", deletes],
		["rm -rf .", "/etc", deletes],
		["rm -rf ..", "/tmp", deletes],
		["find -delete", "/", findDeletes],
		["rm -rf *", "/srv/project", undefined],
		["rm -rf /home/ann", "/srv", deletes],
		["rm -rf *", "/home/ann", deletes],
		["rm -rf /home/ann/x", "/srv", undefined],
	])("%j in %j", (command, cwd, reason) => {
		expect(hardlineReason(command, { cwd, home: "/home/ann" })).toBe(reason);
	});
});

describe("hardlineReason() stays linear", () => {
	const size = 60_000;
	const fill = (unit: string) => unit.repeat(Math.floor(size / unit.length));
	test.each([
		"a",
		" ",
		"tee a/",
		"rm -rf a ",
		"$(",
		"`",
		"${x:-",
		"((",
		"{a,b}",
		"{,",
		"$a",
		"$IFS",
		"\\",
		"'",
		'"',
		"a=$a$a;",
		"case x in ",
		"<<E\n",
		"((1<<2))\n",
		"a[1<<E ",
		"sudo ",
		"x()",
		"bash -c ",
		"[",
		"~",
		"/*",
		"find / -exec ",
		"echo a | xargs ",
		"|",
		"(){",
	])("%j repeated up to 60 KB", (unit) => {
		const took = processorMs(() => {
			hardlineReason(fill(unit));
			hardlineReason(`a=$(echo ${"b".repeat(500)}); ${fill(unit)}`);
		});
		// Quadratic work on 60 KB takes many seconds; the limit leaves room for a loaded machine.
		expect(took).toBeLessThan(6_000);
	});

	test("more than 64 KB is judged all the same, more than 1 MB is refused with a way out", () => {
		expect(hardlineReason(`echo ${"a".repeat(70_000)}`)).toBeUndefined();
		expect(hardlineReason(`echo ${"a".repeat(70_000)}; rm -rf /`)).toBe(deletes);
		expect(hardlineReason(`echo ${"a".repeat(1_100_000)}`)).toBe(
			"it is longer than 1 MB and cannot be checked; put the data into a file with write_file and run a short command",
		);
	});

	test("deep nesting is refused", () => {
		expect(hardlineReason(`${"$(".repeat(100)}ls${")".repeat(100)}`)).toBe(
			"it is nested too deep to be checked; write it in a simpler way",
		);
	});
});
