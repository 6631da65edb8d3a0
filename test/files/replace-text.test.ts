/** Replacement in texts of any line ends. */

import { describe, expect, test } from "bun:test";
import { replaceText } from "../../lib/files/replace-text.ts";

const one = (text: string, [oldText, newText]: readonly [string, string]) =>
	replaceText(text, { oldText, newText, replaceAll: false });
const all = (text: string, [oldText, newText]: readonly [string, string]) =>
	replaceText(text, { oldText, newText, replaceAll: true });

describe("replaceText()", () => {
	test.each([
		["a b c", ["b", "X"], "a X c"],
		["a b c", ["b ", ""], "a c"],
		["one\r\ntwo\r\nthree\r\n", ["two\nthree", "2\n3"], "one\r\n2\r\n3\r\n"],
		["one\r\ntwo\r\nthree\r\n", ["two\r\nthree", "2\r\n3"], "one\r\n2\r\n3\r\n"],
		["one\ntwo\n", ["one\r\ntwo", "1\r\n2"], "1\n2\n"],
		["a\r\nb\nc\r\nd\r\n", ["c", "C"], "a\r\nb\nC\r\nd\r\n"],
		["a\r\nb\r\n", ["a\n", ""], "b\r\n"],
		["a\r\nb\r\n", ["b", "x\ny"], "a\r\nx\r\ny\r\n"],
		["\ufeffa\r\nb", ["a", "A"], "\ufeffA\r\nb"],
		["dir\\run.bat\r\nx", ["dir\\run.bat", "dir\\new.bat"], "dir\\new.bat\r\nx"],
		["a\tb\n\tc\n", ["\tc", "\td"], "a\tb\n\td\n"],
		["中文\t一\n", ["中文\t一", "中文\t二"], "中文\t二\n"],
		["$& $1 \\1 {}", ["{}", "$& $1 \\0 \\g<0>"], "$& $1 \\1 $& $1 \\0 \\g<0>"],
		["a\rb\n", ["a\rb", "c"], "c\n"],
		["\ufeff  a\r\nb\r\n", ["\ta\nb", "\tA\nb\nc"], "\ufeff  A\r\nb\r\nc\r\n"],
		["x\r\n  a \r\n\tb\r\ny", ["\ta\n\t\tb", "\ta\n\t\tc"], "x\r\n  a\r\n\tc\r\ny"],
		[
			"def outer():\r\n    if x: \r\n        y = 2\r\n    return x\r\n",
			["if x:\n        y = 2", "if x:\n        y = 3"],
			"def outer():\r\n    if x:\r\n        y = 3\r\n    return x\r\n",
		],
		[
			"| dir\\run.bat |\r\n|  b |\r\n",
			["| dir\\run.bat |\n| b |", "| dir\\rest.bat |\n| c |"],
			"| dir\\rest.bat |\r\n| c |\r\n",
		],
	] as const)("in %j puts %j: %j", (text, texts, expected) => {
		expect(one(text, texts)).toMatchObject({ ok: true, text: expected, count: 1 });
	});

	test("replaces all from left to right, never inside what was just replaced", () => {
		expect(all("aaaaa", ["aa", "b"])).toMatchObject({ ok: true, text: "bba", count: 2 });
		expect(all("x x x", ["x", "xx"])).toMatchObject({ ok: true, text: "xx xx xx", count: 3 });
	});

	test("names the lines of several hits", () => {
		expect(one("x\ny\nx x\n\r\nx", ["x", "z"])).toEqual({ ok: false, code: "ambiguous", lines: [1, 3, 3, 5] });
	});

	test("counts the lines of a million hits in one long line at once", () => {
		const replaced = one("yyyy".repeat(1_000_000), ["yyyy", "z"]);
		expect(replaced.ok === false && replaced.code === "ambiguous" && replaced.lines.length).toBe(1_000_000);
	});

	test.each([
		["a", ["", "b"], "empty_old"],
		["a", [" \n\t", "b"], "whitespace_old"],
		["a", ["a", "a"], "identical"],
		["b", ["a", "a"], "identical"],
		["b", ["a\r\n", "a\n"], "identical"],
		["abc", ["d", "e"], "not_found"],
		["abc", ["B", "e"], "not_found"],
	] as const)("in %j refuses %j as %s", (text, texts, code) => {
		expect(one(text, texts)).toMatchObject({ ok: false, code });
	});
});
