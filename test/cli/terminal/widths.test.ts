/** Whatever is shown fits the terminal, however narrow: a line that is too long would break the screen. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { printable } from "../../../lib/cli/runtime/paint.ts";
import { liveBlock, textBlock } from "../../../lib/cli/terminal/blocks.ts";
import { createPieceDrawer } from "../../../lib/cli/terminal/markdown.ts";
import { loadPiTui } from "../../../lib/cli/terminal/pi-tui.ts";
import { createPieceCutter } from "../../../lib/cli/terminal/pieces.ts";
import { statusLine } from "../../../lib/cli/terminal/status-line.ts";
import { themeFor } from "../../../lib/cli/terminal/theme.ts";
import { showCall } from "../../../lib/cli/terminal/tool-call.ts";

const pi = await loadPiTui();
const theme = themeFor({ noColor: false });

const piece = fc.constantFrom(
	"word ",
	"a-very-long-word-without-a-space-in-it-that-goes-on-and-on ",
	"日本語のとても長い文章です",
	"👨‍👩‍👧‍👦",
	"🇩🇪 ",
	"é́ ",
	"\t",
	"\n",
	"**bold** ",
	"`code` ",
	"| a | b |\n|---|---|\n| 1 | 2 |\n",
	"- item\n",
	"\n```ts\nconst answer = `42`; // 日本語\n```\n",
	"[link](https://example.invalid/a/very/long/address/that/does/not/end) ",
	"\u001b[31mred\u001b[0m",
	"\u001b]0;title\u0007",
	"\r",
	"\u202e",
	"مرحبا ",
	"# Head\n",
	"> quote\n",
);
const texts = fc.array(piece, { maxLength: 30 }).map((parts) => printable(parts.join("")));
const widths = fc.integer({ min: 2, max: 130 });

function expectFits(lines: readonly string[], width: number): void {
	expect(lines.filter((line) => pi.visibleWidth(line) > width)).toEqual([]);
}

describe("what is shown fits the terminal", () => {
	test("answers", () => {
		fc.assert(
			fc.property(texts, widths, (text, width) => {
				const drawer = createPieceDrawer(pi, theme);
				const cutter = createPieceCutter();
				for (const piece of [...cutter.add(text), ...cutter.end()])
					expectFits(drawer.component(piece).render(width), width);
			}),
		);
	});

	test("lines, calls and the status", () => {
		fc.assert(
			fc.property(texts, widths, (text, width) => {
				expectFits(textBlock(pi, text.split("\n"), "    ").render(width), width);
				expectFits(liveBlock(pi, () => text.split("\n")).render(width), width);
				expectFits(
					statusLine(pi, theme, () => ({ model: text.replaceAll("\n", " "), place: text })).render(width),
					width,
				);
				const started = {
					type: "tool_started",
					id: "1",
					name: text,
					arguments: JSON.stringify({ command: text }),
				} as const;
				const call = showCall(started, { pi, theme, ranOn: "local", now: () => 0 });
				call.say(text);
				expectFits(call.part.render(width), width);
				const result = JSON.stringify({ error: text, diff: text });
				const finished = {
					...started,
					type: "tool_finished",
					result,
					is_error: true,
					denied: false,
					duration_ms: 1,
				} as const;
				expectFits(textBlock(pi, call.finished(finished), "    ").render(width), width);
			}),
		);
	});
});

test("nothing of a program's output or a model's answer reaches the terminal as a command to it", () => {
	const text = fc.array(fc.oneof(fc.string(), piece, fc.constantFrom("\u001b", "[2J", "\u009b", "\u0007", "\b")), {
		maxLength: 30,
	});
	const plain = themeFor({ noColor: true });
	fc.assert(
		fc.property(text, (parts) => {
			const clean = printable(parts.join(""));
			const drawer = createPieceDrawer(pi, plain);
			const cutter = createPieceCutter();
			const lines = [...cutter.add(clean), ...cutter.end()].flatMap((one) => drawer.component(one).render(60));
			// What the library adds itself are colours and their ends.
			// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
			const controls = /[\u0000-\u001a\u001c-\u001f\u007f-\u009f]|\u001b(?!\[[\d;]*m)/;
			expect(lines.filter((line) => controls.test(line))).toEqual([]);
		}),
	);
});
