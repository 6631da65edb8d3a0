/** What holds for every text: nothing outside of the reported lines changes, and nothing is written on a guess. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { showRegions } from "../../../lib/base/fuzzy/closest-lines.ts";
import { applyEdits } from "../../../lib/base/fuzzy/edits.ts";
import { fuzzyReplace } from "../../../lib/base/fuzzy/fuzzy-replace.ts";
import { Likeness, likenessOf, Profiles } from "../../../lib/base/fuzzy/likeness.ts";
import { plainText } from "../../../lib/base/fuzzy/typography.ts";
import { strip } from "../../../lib/base/fuzzy/white-space.ts";
import { processorMs } from "../../support/processor-time.ts";

const piece = fc.constantFrom(
	"a",
	"b1",
	"value",
	"=",
	"(",
	")",
	" ",
	"  ",
	"\t",
	"“x”",
	"—",
	"…",
	"\\n",
	"\\t",
	"\\'",
	"😀",
	"\u00a0",
	"\u0085",
);
const line = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(""));
const text = fc.array(line, { minLength: 1, maxLength: 12 }).map((lines) => lines.join("\n"));
const replace = (file: string, [oldText, newText]: readonly [string, string], replaceAll = false) =>
	fuzzyReplace(file, { oldText, newText, replaceAll });

describe("fuzzyReplace()", () => {
	test("changes no line that it does not report", () => {
		const property = fc.property(text, fc.tuple(text, text), fc.boolean(), (file, texts, replaceAll) => {
			const result = replace(file, texts, replaceAll);
			if (!result.ok) return;
			expect(applyEdits(file, result.edits)).toBe(result.text);
			const before = file.split("\n");
			const first = result.spans[0]?.startLine ?? 1;
			const last = result.spans.at(-1)?.endLine ?? before.length;
			expect(
				result.text.startsWith(
					before
						.slice(0, first - 1)
						.map((kept) => `${kept}\n`)
						.join(""),
				),
			).toBe(true);
			expect(
				result.text.endsWith(
					before
						.slice(last)
						.map((kept) => `\n${kept}`)
						.join("")
						.slice(1),
				),
			).toBe(true);
			expect(result.edits.length).toBe(result.count);
		});
		fc.assert(property, { numRuns: 1_500 });
	});

	test("finds every text that is there once, and puts in what was asked for", () => {
		const property = fc.property(text, fc.tuple(fc.nat(), fc.nat()), text, (file, [from, length], newText) => {
			const start = from % file.length;
			const oldText = file.slice(start, start + 1 + (length % 40));
			const isOnce = file.indexOf(oldText) === file.lastIndexOf(oldText);
			if (!isOnce || strip(oldText) === "" || oldText === newText || !oldText.isWellFormed()) return;
			expect(replace(file, [oldText, newText])).toMatchObject({
				ok: true,
				strategy: "exact",
				text: file.slice(0, start) + newText + file.slice(start + oldText.length),
			});
		});
		fc.assert(property, { numRuns: 1_000 });
	});

	test("finds lines whose indents and ends differ, and keeps the rest of the file", () => {
		const words = fc.uniqueArray(fc.stringMatching(/^[a-z]{6,9}\(\);$/), { minLength: 6, maxLength: 12 });
		const indent = fc.constantFrom("", "  ", "\t", "    ");
		const property = fc.property(
			words,
			fc.array(indent, { minLength: 12, maxLength: 12 }),
			indent,
			(names, indents, asked) => {
				const file = names.map((name, index) => `${indents[index]}${name}`);
				const oldText = names.slice(2, 4).map((name) => `${asked}${name} `);
				const result = replace(file.join("\n"), [oldText.join("\n"), `${asked}changed();`]);
				expect(result).toMatchObject({ ok: true, spans: [{ startLine: 3, endLine: 4 }] });
				if (!result.ok) return;
				const lines = result.text.split("\n");
				expect(lines.toSpliced(2, 1)).toEqual(file.toSpliced(2, 2));
				expect(lines[2]?.trim()).toBe("changed();");
			},
		);
		fc.assert(property, { numRuns: 300 });
	});

	test("names strategy, likeness and the lines that gave way", () => {
		const { text: changed, ...result } = Object.assign(
			{ text: "" },
			replace("z\nopen\nalpha one\nclose\n", ["open\nalpha onE\nclose", "open\nnew\nclose"]),
		);
		expect({ changed, ...result }).toEqual({
			changed: "z\nopen\nnew\nclose\n",
			ok: true,
			count: 1,
			strategy: "block_anchor",
			similarity: (2 + 16 / 18) / 3,
			edits: [{ start: 7, end: 16, replacement: "new" }],
			spans: [{ startLine: 3, endLine: 3 }],
		});
	});

	test("names the lines of several places", () => {
		expect(replace("a  b\nx\n\ta  b\n", ["a b", "c"])).toEqual({ ok: false, code: "ambiguous", lines: [1, 3] });
	});

	test("shows the lines that come closest", () => {
		const file = Array.from({ length: 12 }, (_, index) => `const name${index} = ${index};`);
		const result = replace([...file, "function compute(a, b) {", "\treturn a;", "}"].join("\n"), [
			"function compte(a, b",
			"x",
		]);
		expect(result).toMatchObject({ ok: false, code: "not_found", isCutShort: false });
		expect(!result.ok && result.code === "not_found" && showRegions(result.closest.slice(0, 1))).toBe(
			[
				"  11| const name10 = 10;",
				"  12| const name11 = 11;",
				"  13| function compute(a, b) {",
				"  14| \treturn a;",
				"  15| }",
			].join("\n"),
		);
	});

	test("says where the new text stands already", () => {
		expect(replace("a\n  return second;\n", ["return first;", "return second;"])).toEqual({
			ok: false,
			code: "already_applied",
			line: 2,
		});
	});

	test("stays quick where everything looks alike", () => {
		const file = Array.from(
			{ length: 20_000 },
			(_, index) => `value = compute(${index}, "a text of some length");`,
		).join("\n");
		const asked = Array.from({ length: 200 }, (_, index) => `value = compute(x${index}, "a text of same length");`);
		const long = (sign: string) => `start\n${`${sign}b c`.repeat(10_000)}\nend`;
		const took = processorMs(() => {
			expect(replace(file, [asked.join("\n"), "x"]).ok).toBe(false);
			expect(replace(long("a"), [long("x"), "x"])).toMatchObject({ ok: false, isCutShort: true });
		});
		expect(took).toBeLessThan(20_000);
	});
});

describe("likenessOf()", () => {
	test.each([
		["", "", 1],
		["abcd", "bcde", 0.75],
		["aaaa", "aa", 2 / 3],
		["abxcd", "abcd", 8 / 9],
		["qabxcd", "abycdf", 8 / 12],
		["abc", "xyz", 0],
	])("of %j and %j", (left, right, expected) => {
		expect(likenessOf(left, right)).toBeCloseTo(expected, 10);
	});

	test("is never above its bounds, and the same from the cache", () => {
		const likeness = new Likeness();
		const property = fc.property(line, line, (left, right) => {
			const ratio = likenessOf(left, right);
			expect(new Profiles([right]).boundsOf(left, 0)(0) >= ratio || left + right === "").toBe(true);
			expect([likeness.ratio(left, right), likeness.ratio(left, right)]).toEqual([ratio, ratio]);
		});
		fc.assert(property, { numRuns: 500 });
	});
});

test("plainText() leads back to the original at every edge and nowhere else", () => {
	const property = fc.property(line, (original) => {
		const plain = plainText(original);
		const edges = Array.from({ length: plain.text.length + 1 }, (_, at) => plain.original(at)).filter(
			(at) => at !== undefined,
		);
		expect(edges).toEqual(Array.from({ length: original.length + 1 }, (_, at) => at));
	});
	fc.assert(property, { numRuns: 500 });
});
