/** Diffs, compared with what `diff -u` writes. */

import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { unifiedDiff } from "../../lib/files/unified-diff.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const pairs: readonly (readonly [string, string, string])[] = [
	["a changed line", "a\nb\nc\n", "a\nB\nc\n"],
	["two far changes", `${"x\n".repeat(3)}a\n${"y\n".repeat(20)}b\n`, `${"x\n".repeat(3)}A\n${"y\n".repeat(20)}B\n`],
	["two near changes", "a\n1\n2\n3\n4\n5\n6\nb\n", "A\n1\n2\n3\n4\n5\n6\nB\n"],
	["an insertion at the start", "b\n", "a\nb\n"],
	["a deletion at the end", "a\nb\nc\n", "a\n"],
	["a lost last line end", "a\nb\n", "a\nb"],
	["a new last line end", "a\nb", "a\nb\n"],
	["a file that was empty", "", "a\nb\n"],
	["a file that becomes empty", "a\nb\n", ""],
	["a moved block", "1\n2\n3\n4\n5\n6\n", "4\n5\n6\n1\n2\n3\n"],
];

describe("unifiedDiff() writes what diff -u writes", () => {
	test.skipIf(Bun.which("diff") === null).each(pairs)("for %s", async (_, before, after) => {
		using folder = temporaryFolder();
		await Bun.write(join(folder.path, "a/f"), before);
		await Bun.write(join(folder.path, "b/f"), after);
		const diff = Bun.spawnSync(["diff", "-u", "--label", "a/f", "--label", "b/f", "a/f", "b/f"], { cwd: folder.path });
		expect(`${unifiedDiff("f", before, after)}\n`).toBe(diff.stdout.toString());
	});

	test("and nothing for equal texts", () => {
		expect(unifiedDiff("f", "a\n", "a\n")).toBe("");
	});

	test.skipIf(Bun.which("patch") === null)("and applies with patch(1) for random edits", async () => {
		using folder = temporaryFolder();
		let seed = 7;
		const random = (below: number) => {
			seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
			return seed % below;
		};
		for (let round = 0; round < 20; round++) {
			const before = Array.from({ length: random(60) }, () => `${random(6)}\n`);
			const after = before.flatMap(
				(line) => [[line], [], [`${random(6)}\n`], [line, "new\n"]][Math.min(random(9), 3)] ?? [line],
			);
			const [path, diffPath] = [join(folder.path, `f${round}`), join(folder.path, `d${round}`)];
			await Bun.write(path, before.join(""));
			const diff = unifiedDiff(`f${round}`, before.join(""), after.join(""));
			if (diff === "") continue;
			await Bun.write(diffPath, `${diff}\n`);
			const applied = Bun.spawnSync(["patch", "-s", "--no-backup-if-mismatch", "-F0", path, diffPath]);
			expect({
				said: applied.stdout.toString(),
				text: (await Bun.file(path).exists()) ? await Bun.file(path).text() : "",
			}).toEqual({
				said: "",
				text: after.join(""),
			});
		}
	});
});
