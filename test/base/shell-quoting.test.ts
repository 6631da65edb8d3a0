/** Words for a POSIX shell, read back by real shells. */

import { expect, test } from "bun:test";
import { quoteWord, quoteWords } from "../../lib/base/shell-quoting.ts";
import { runProgram } from "../support/run-program.ts";

const words = [
	"",
	" ",
	"plain",
	"a b",
	"it's",
	'"',
	"$HOME",
	"`x`",
	"\\",
	"*",
	"~",
	"a\nb",
	"-n",
	"x=1",
	"!",
	"é",
	"#",
	"%s",
];

test.each(["sh", "bash"])("quoteWords() gives a command line that %s reads as the same words", async (shell) => {
	const script = quoteWords(["printf", "%s\\0", ...words]);
	const { stdout } = await runProgram([shell, "-c", script], { cwd: "/", env: { PATH: process.env.PATH ?? "" } });
	expect(stdout).toBe(words.map((word) => `${word}\0`).join(""));
});

test("quoteWords() runs a program whose name looks like an assignment or an alias", () => {
	expect(quoteWords(["A=b", "A=b"])).toBe("'A=b' A=b");
});

test("quoteWord() leaves what needs no quotes", () => {
	expect(["a/b-c.d", "--x=1", "a b", ""].map(quoteWord)).toEqual(["a/b-c.d", "--x=1", "'a b'", "''"]);
});
