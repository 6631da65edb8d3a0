/** The parts of the wire: lines with a limit, messages that are remembered, and news of progress. */

import { expect, test } from "bun:test";
import type { JSONRPCMessage, ServerNotification } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { readBoundedLines } from "../../../lib/serve/mcp/bounded-lines.ts";
import { createEventMemory } from "../../../lib/serve/mcp/http/event-memory.ts";
import { reportProgress } from "../../../lib/serve/mcp/progress.ts";

async function linesOf(chunks: readonly string[], longest: number): Promise<readonly (string | undefined)[]> {
	const bytes = new ReadableStream<Uint8Array>({
		start(controller) {
			for (const chunk of chunks) controller.enqueue(Buffer.from(chunk));
			controller.close();
		},
	});
	const lines: (string | undefined)[] = [];
	for await (const line of readBoundedLines(bytes, longest)) lines.push(line.isTooLong ? undefined : line.text);
	return lines;
}

test.each([
	[
		["a\nb", "c\n", "d"],
		["a", "bc", "d"],
	],
	[["\n\n"], ["", ""]],
	[["12345\n123456\n1\n"], ["12345", undefined, "1"]],
	[
		["123", "456", "789\n1\n"],
		[undefined, "1"],
	],
	[["123456"], [undefined]],
	[[], []],
])("readBoundedLines() of %j with 5 bytes a line gives %j", async (chunks, lines) => {
	expect(await linesOf(chunks, 5)).toEqual(lines);
});

test("readBoundedLines() puts characters together that came in pieces", async () => {
	const bytes = Buffer.from("é€\n🫖\n");
	const pieces = new ReadableStream<Uint8Array>({
		start(controller) {
			for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
			controller.close();
		},
	});
	const lines: unknown[] = [];
	for await (const line of readBoundedLines(pieces, 5)) lines.push(line);
	expect(lines).toEqual([
		{ isTooLong: false, text: "é€" },
		{ isTooLong: false, text: "🫖" },
	]);
});

const message = (text: string): JSONRPCMessage => ({ jsonrpc: "2.0", method: "note", params: { text } });

test("createEventMemory() gives what came later on the same stream, and forgets the oldest when there is no more room", async () => {
	const length = JSON.stringify(message("1")).length;
	const memory = createEventMemory(3 * length);
	const ids: string[] = [];
	for (const [stream, text] of [
		["a", "1"],
		["b", "2"],
		["a", "3"],
		["a", "4"],
	] as const) {
		ids.push(await memory.storeEvent(stream, message(text)));
	}
	const [first = "", second = "", third = ""] = ids;
	const after = async (id: string) => {
		const sent: JSONRPCMessage[] = [];
		await memory.replayEventsAfter(id, { send: async (_, each) => void sent.push(each) });
		return sent;
	};
	expect(await after(third)).toEqual([message("4")]);
	expect(await after(second)).toEqual([]);
	expect(await memory.getStreamIdForEventId?.(first)).toBeUndefined();
	expect(after(first)).rejects.toThrow("it is not remembered any more");
});

test("reportProgress() tells the end of what was printed, in growing numbers, and nothing without a token or after its end", async () => {
	const sent: ServerNotification[] = [];
	const { promise: two, resolve } = Promise.withResolvers<void>();
	const send = async (notification: ServerNotification) => {
		sent.push(notification);
		if (sent.length === 2) resolve();
	};
	const progress = reportProgress({ token: "t", send });
	reportProgress({ token: undefined, send }).output("nothing of this");
	const pause = setInterval(() => progress.output(`${"x".repeat(2_000)} the end`), 100);
	await two;
	clearInterval(pause);
	progress[Symbol.dispose]();
	const params: unknown[] = sent.map((notification) => notification.params);
	expect(params).toEqual([
		{ progressToken: "t", progress: expect.any(Number), message: expect.stringMatching(/^x+ the end$/) },
		{ progressToken: "t", progress: expect.any(Number), message: expect.stringMatching(/^x+ the end$/) },
	]);
	const [first, second] = params.map((each) => z.object({ progress: z.number() }).parse(each).progress);
	expect(second).toBeGreaterThan(first ?? 0);
});
