/** Ignore patterns mean to us what they mean to git. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { parseIgnoreFile, verdictOf } from "../../../lib/files/ignore/ignore-rules.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const piece = fc.constantFrom(
	"a",
	"b",
	"ab",
	"*",
	"**",
	"?",
	"[ab]",
	"[!a]",
	"a*",
	"*.b",
	"\\*",
	"\\a",
	"***",
	"[]a]",
	"[^b]",
	"a b",
);
const line = fc
	.tuple(
		fc.constantFrom("", "!"),
		fc.constantFrom("", "/"),
		fc.array(piece, { minLength: 1, maxLength: 3 }),
		fc.constantFrom("", "/", " ", "\\ "),
	)
	.map(([keeps, start, pieces, end]) => `${keeps}${start}${pieces.join("/")}${end}`);
const names = ["a", "b", "ab", "a.b", "*", "]", "a b", "a "];
const paths = names.flatMap((one) => [one, ...names.flatMap((two) => [`${one}/${two}`, `${one}/${two}/b`])]);

/** What git says of files at `paths`, where a folder on the way may be left out. */
function byGit(folder: string, text: string): Promise<string[]> {
	return Bun.write(`${folder}/.gitignore`, text).then(() => {
		const { stdout } = Bun.spawnSync(["git", "check-ignore", "--no-index", "-z", "--stdin"], {
			cwd: folder,
			stdin: Buffer.from(paths.map((path) => `${path}\0`).join("")),
			env: { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" },
		});
		return stdout.toString().split("\0").slice(0, -1);
	});
}

function byRules(text: string): string[] {
	const rules = parseIgnoreFile(text);
	return paths.filter((path) => {
		const parts = path.split("/");
		const folders = parts.slice(0, -1).map((_, index) => parts.slice(0, index + 1).join("/"));
		return folders.some((folder) => verdictOf(rules, folder, true)) || verdictOf(rules, path, false) === true;
	});
}

describe("parseIgnoreFile()", () => {
	test.skipIf(Bun.which("git") === null)("and verdictOf() say what git says", async () => {
		using folder = temporaryFolder();
		Bun.spawnSync(["git", "init", "-q", folder.path]);
		const texts = fc
			.sample(fc.array(line, { minLength: 1, maxLength: 4 }), { numRuns: 150, seed: 7 })
			.map((lines) => lines.join("\n"));
		for (const text of texts)
			expect({ text, ignored: byRules(text) }).toEqual({ text, ignored: await byGit(folder.path, text) });
	});

	test.each([
		["# a\n\n   \n", "a", undefined],
		["\\#a\n\\!b\n", "#a", true],
		["\\!b", "!b", true],
		["a\r\nb\r\n", "b", true],
		["x[", "x[", undefined],
		["x\\", "x\\", undefined],
		["[[:digit:]]x", "7x", true],
		["(a|b)+", "(a|b)+", true],
		["😀?", "😀x", true],
	])("of %j takes %j as %j", (text, path, expected) => {
		expect(verdictOf(parseIgnoreFile(text), path, false)).toBe(expected);
	});
});
