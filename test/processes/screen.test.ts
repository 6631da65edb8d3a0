/** What a terminal makes of escape sequences, and keys. */

import { describe, expect, test } from "bun:test";
import { typedKeys } from "../../lib/processes/screen/keys.ts";
import { createScreen } from "../../lib/processes/screen/screen.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

function screenAfter(text: string, size = { columns: 10, rows: 4 }) {
	const screen = createScreen(size);
	const answer = screen.push(bytes(text));
	return { ...screen.show(), answer };
}

describe("createScreen()", () => {
	test.each([
		["wraps at the edge, and only when more comes", "0123456789ab", ["0123456789", "ab", "", ""]],
		["scrolls at the bottom", "1\r\n2\r\n3\r\n4\r\n5", ["2", "3", "4", "5"]],
		["moves and erases", "abcdef\x1b[3G\x1b[K\x1b[2;2Hx\x1b[1;1HZ", ["Zb", " x", "", ""]],
		["keeps what is outside of the region", "a\r\nb\r\nc\r\nd\x1b[2;3r\x1b[3;1H\n\x1b[r", ["a", "c", "", "d"]],
		["inserts and removes rows and cells", "ab\r\ncd\x1b[1;1H\x1b[L\x1b[2;1H\x1b[P\x1b[2@", ["", "  b", "cd", ""]],
		["scrolls back at the top", "a\r\nb\x1b[1;1H\x1bMx", ["x", "a", "b", ""]],
		["comes back from the other screen", "main\x1b[?1049hother\x1b[2J\x1b[?1049l!", ["main!", "", "", ""]],
		[
			"leaves colours, titles and queries out",
			"\x1b[1;31mred\x1b[0m\x1b]0;t\x07\x1b]10;?\x1b\\\x1bPx\x1b\\ok",
			["redok", "", "", ""],
		],
		["gives wide characters two cells", "项目x\x1b[1;3Hy", ["项y x", "", "", ""]],
		["joins marks with their letter", "e\u0301x", ["e\u0301x", "", "", ""]],
		["draws lines", "\x1b(0lqk\x1b(Bq", ["┌─┐q", "", "", ""]],
		["knows tabs, backspaces and repeats", "a\tb\b\bc-\x1b[3b", ["a      c--", "--", "", ""]],
	])("%s", (_name, text, rows) => {
		expect(screenAfter(text).rows).toEqual(rows);
	});

	test("takes sequences and characters that come in pieces", () => {
		const screen = createScreen({ columns: 10, rows: 2 });
		for (const byte of bytes("a\x1b[2;3H项\x1b]0;title\x07b")) screen.push(Uint8Array.of(byte));
		expect(screen.show()).toEqual({ rows: ["a", "  项b"], cursor: { row: 2, column: 6 } });
	});

	test("answers where the cursor is, and what it is", () => {
		expect(screenAfter("\x1b[3;4H\x1b[6n\x1b[5n\x1b[c").answer).toBe("\x1b[3;4R\x1b[0n\x1b[?1;2c");
	});

	test("takes any bytes, and another size at any time", () => {
		const screen = createScreen({ columns: 20, rows: 5 });
		let state = 1;
		for (let round = 0; round < 300; round++) {
			const noise = Uint8Array.from({ length: 100 }, () => {
				state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
				if (state % 7 === 0) return 0x1b;
				return state % 5 === 0 ? 0x5b : (state >> 8) % 256;
			});
			screen.push(noise);
			if (round % 10 === 0) screen.resize({ columns: 2 + (round % 50), rows: 1 + (round % 20) });
			expect(screen.show().rows).toHaveLength(round < 10 ? 1 : 1 + ((Math.floor(round / 10) * 10) % 20));
		}
	});
});

describe("typedKeys()", () => {
	test("knows keys by their names and leaves other text as it is", () => {
		const keys = ["<ctrl-c>", "<up>", "a < b", "<enter>", "<alt-x>", "<shift-tab>", "<ctrl-left>", "<F5>"];
		expect(typedKeys(keys, false)).toEqual({
			ok: true,
			text: "\x03\x1b[Aa < b\r\x1bx\x1b[Z\x1b[1;5D\x1b[15~",
		});
		expect(typedKeys(["<up>", "<home>"], true)).toEqual({ ok: true, text: "\x1bOA\x1bOH" });
	});

	test("says which key it does not know", () => {
		expect(typedKeys(["<hyper-q>"], false)).toMatchObject({ ok: false, why: expect.stringContaining('"<hyper-q>"') });
	});
});
