/** What was said is drawn again after a change of size: as much as fits, and never less than what nobody has seen yet. */

import { expect, test } from "bun:test";
import { createTranscript } from "../../../lib/cli/terminal/transcript.ts";

const line = (text: string) => ({ render: () => [text], invalidate() {} });
const numbered = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `line ${from + at}`);

function transcriptOf(lines: readonly string[]) {
	const transcript = createTranscript();
	for (const text of lines) transcript.add(line(text), false);
	return transcript;
}

test("refit() draws as much as fits; a terminal that becomes taller again has the lines before it back", () => {
	const transcript = transcriptOf(numbered(0, 50));
	transcript.render(80);
	transcript.refit(5, 80);
	expect(transcript.render(80)).toEqual(numbered(45, 50));
	transcript.refit(20, 60);
	expect(transcript.render(60)).toEqual(numbered(30, 50));
	transcript.refit(100, 60);
	expect(transcript.render(60)).toEqual(numbered(0, 50));
});

test("refit() leaves out nothing that no frame has had, however little fits", () => {
	const transcript = transcriptOf(numbered(0, 10));
	transcript.render(80);
	for (const text of numbered(10, 40)) transcript.add(line(text), false);
	transcript.refit(5, 30);
	expect(transcript.render(30)).toEqual(numbered(10, 40));
	transcript.refit(5, 80);
	expect(transcript.render(80)).toEqual(numbered(35, 40));
});

test("forget() keeps some lines for a terminal that becomes taller, and not more", () => {
	const transcript = transcriptOf(numbered(0, 1_000));
	transcript.render(80);
	transcript.forget(900, 80);
	expect(transcript.render(80)).toEqual(numbered(900, 1_000));
	transcript.refit(1_000, 80);
	expect(transcript.render(80)).toEqual(numbered(700, 1_000));
});
