/** Answers in pieces: whatever way the text is cut when it arrives, the same pieces come out, and nothing is lost. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createPieceCutter, type Piece } from "../../../lib/cli/terminal/pieces.ts";

/** The pieces of a text that arrives in these parts. */
function piecesOf(parts: readonly string[]): readonly Piece[] {
	const cutter = createPieceCutter();
	return [...parts.flatMap((part) => cutter.add(part)), ...cutter.end()];
}

const markdown = (text: string, isApart = true): Piece => ({ kind: "markdown", text, isApart });
const code = (language: string, lines: readonly string[], isApart = true): Piece => ({
	kind: "code",
	language,
	lines,
	opens: true,
	closes: true,
	isApart,
});

const answer =
	"# Title\n\nOne\nparagraph.\n\n- a\n\n  more of a\n- b\n\n```ts\nconst a = 1;\n\nconst b = 2;\n```\nAfter.\n";
const pieces = [
	markdown("# Title", false),
	markdown("One\nparagraph."),
	markdown("- a\n\n  more of a\n- b"),
	code("ts", ["const a = 1;", "", "const b = 2;"]),
	markdown("After."),
];

describe("createPieceCutter()", () => {
	test("cuts between blocks, and keeps what belongs to a list together", () => {
		expect(piecesOf([answer])).toEqual(pieces);
	});

	test("gives the same pieces however the text arrives", () => {
		fc.assert(
			fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (lengths) => {
				const parts: string[] = [];
				for (let at = 0, next = 0; at < answer.length; next++) {
					const length = lengths[next % lengths.length] ?? 1;
					parts.push(answer.slice(at, at + length));
					at += length;
				}
				expect(piecesOf(parts)).toEqual(pieces);
			}),
		);
	});

	test("never loses a word of any text", () => {
		const line = fc.constantFrom(
			"word",
			"",
			"```",
			"```py",
			"    indented",
			"- item",
			"| a | b |",
			"~~~",
			"# head",
			"`x`",
		);
		fc.assert(
			fc.property(fc.array(line, { maxLength: 60 }), fc.integer({ min: 1, max: 30 }), (lines, length) => {
				const text = lines.join("\n");
				const parts = text.match(new RegExp(`[\\s\\S]{1,${length}}`, "g")) ?? [];
				const shown = piecesOf(parts).flatMap((piece) =>
					piece.kind === "code" ? piece.lines : piece.text.split("\n"),
				);
				const words = (all: readonly string[]) => all.filter((one) => /[a-z]/.test(one) && !/^(?:```|~~~)/.test(one));
				expect(words(shown).map((one) => one.trim())).toEqual(words(lines).map((one) => one.trim()));
			}),
		);
	});

	test("a long code block comes in several pieces, of which the first opens it and the last closes it", () => {
		const lines = Array.from({ length: 200 }, (_, at) => `line ${at}`);
		const cutter = createPieceCutter();
		const early = lines.flatMap((line, at) => cutter.add(`${at === 0 ? "```sh\n" : ""}${line}\n`));
		expect(early.length).toBeGreaterThan(3);
		const all = [...early, ...cutter.add("```\n"), ...cutter.end()];
		const blocks = all.filter((piece) => piece.kind === "code");
		expect(blocks.flatMap((piece) => piece.lines)).toEqual(lines);
		expect(blocks.map(({ opens }) => opens)).toEqual(blocks.map((_, at) => at === 0));
		expect(blocks.map(({ closes }) => closes)).toEqual(blocks.map((_, at) => at === blocks.length - 1));
	});

	test("a text without an end to its first block is cut all the same, so that a frame never costs more and more", () => {
		const cutter = createPieceCutter();
		const early = Array.from({ length: 4_000 }, () => cutter.add("some words ")).flat();
		const tail = cutter.tail?.kind === "markdown" ? cutter.tail.text.length : 0;
		expect(tail).toBeLessThan(7_000);
		expect(early.slice(1).every(({ isApart }) => !isApart)).toBeTrue();
	});

	test("the tail is what has arrived of the next piece, without half a fence", () => {
		const cutter = createPieceCutter();
		cutter.add("Text.\n\n```ts\nconst a = 1;\n``");
		expect(cutter.tail).toEqual({
			kind: "code",
			language: "ts",
			lines: ["const a = 1;"],
			opens: true,
			closes: false,
			isApart: true,
		});
	});
});
