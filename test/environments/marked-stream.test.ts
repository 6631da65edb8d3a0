/** Our own lines in a program's stream. */

import { expect, test } from "bun:test";
import { markedStream } from "../../lib/environments/marked-stream.ts";

function streamOf(parts: readonly string[]): ReadableStream<Uint8Array> {
	return new ReadableStream({
		start(controller) {
			for (const part of parts) controller.enqueue(Buffer.from(part));
			controller.close();
		},
	});
}

async function read(parts: readonly string[], lines: "first" | "all") {
	const seen: string[] = [];
	const source = streamOf(parts);
	const marked = markedStream({ source, mark: "MARK", lines, onLine: (text) => seen.push(text) });
	return { text: await new Response(marked.stream).text(), seen, noise: await marked.sourceEnded };
}

const whole = "noise\nMARK one\nabc MARKMA\nMARK two\nrest MAR";

test("markedStream() gives what follows the first mark, however the bytes are cut", async () => {
	for (let at = 0; at <= whole.length; at++) {
		expect(await read([whole.slice(0, at), whole.slice(at)], "first")).toEqual({
			text: "abc MARKMA\nMARK two\nrest MAR",
			seen: ["one"],
			noise: "",
		});
	}
});

test("markedStream() takes every line with the mark out, however the bytes are cut", async () => {
	const text = "noise\nMARK one\nabc MA\nMARK two\nrest MAR";
	for (let at = 0; at <= text.length; at++) {
		expect(await read([text.slice(0, at), text.slice(at)], "all")).toEqual({
			text: "abc MA\nrest MAR",
			seen: ["one", "two"],
			noise: "",
		});
	}
});

test("markedStream() keeps what came instead of a mark", async () => {
	expect(await read(["This account ", "is not available.\n"], "first")).toEqual({
		text: "",
		seen: [],
		noise: "This account is not available.",
	});
});

test("markedStream() ends when it is told to, and goes on reading so that the writer can go on", async () => {
	let taken = 0;
	const source = new ReadableStream<Uint8Array>({
		async pull(controller) {
			taken++;
			controller.enqueue(Buffer.from(taken === 1 ? "MARK\na" : "late"));
			if (taken === 50) controller.close();
		},
	});
	const marked = markedStream({ source, mark: "MARK", lines: "first", onLine: () => marked.end() });
	expect({ text: await new Response(marked.stream).text(), rest: await marked.sourceEnded, taken }).toEqual({
		text: "",
		rest: "",
		taken: 50,
	});
});

/** A program that says `first`, and `second` when the test has read what it expects. */
async function readInTurns(first: string, second: string) {
	const seen: string[] = [];
	let source: ReadableStreamDefaultController<Uint8Array> | undefined;
	const marked = markedStream({
		source: new ReadableStream({
			start(controller) {
				source = controller;
				controller.enqueue(Buffer.from(first));
			},
		}),
		mark: "MARK",
		lines: "all",
		onLine: (text) => seen.push(text),
	});
	const texts: string[] = [];
	for await (const chunk of marked.stream) {
		texts.push(Buffer.from(chunk).toString());
		if (texts.join("") !== "abM") continue;
		source?.enqueue(Buffer.from(second));
		source?.close();
	}
	return { text: texts.join(""), seen };
}

test("markedStream() does not keep the last byte of a program that waits for an answer, though a mark could begin with it", async () => {
	expect(await readInTurns("MARK one\nabM", "more")).toEqual({ text: "abMmore", seen: ["one"] });
});

test("markedStream() finds a mark whose first byte was passed on", async () => {
	expect(await readInTurns("MARK one\nabM", "ARK two\nrest")).toEqual({ text: "abMrest", seen: ["one", "two"] });
});
