/** The output of a command ends at its mark, however late that comes. */

import { afterEach, beforeEach, describe, expect, jest, test } from "bun:test";
import { endAtMark } from "../../../lib/environments/shell/end-at-mark.ts";

describe("endAtMark()", () => {
	beforeEach(() => void jest.useFakeTimers());
	afterEach(() => void jest.useRealTimers());

	/** A stream that stays open, as one does that a server of the command holds. */
	function held() {
		const bytes = new TransformStream<Uint8Array, Uint8Array>();
		const writer = bytes.writable.getWriter();
		const text = new Response(endAtMark(bytes.readable, { mark: "MARK", ended: Promise.resolve(true) })).text();
		return { text, say: (words: string) => writer.write(Buffer.from(words)) };
	}

	/** Lets `ms` pass, with everything that waits for it. */
	async function pass(ms: number): Promise<void> {
		for (let step = 0; step < 20; step++) {
			for (let turn = 0; turn < 20; turn++) await Promise.resolve();
			jest.advanceTimersByTime(ms / 20);
		}
	}

	test("gives everything before the mark, though it comes long after the end is known", async () => {
		const { text, say } = held();
		await pass(20_000);
		await say("late");
		await say("MARK");
		await pass(2_000);
		expect(await text).toBe("late");
	});

	test("gives up a mark that does not come", async () => {
		const { text, say } = held();
		await say("cut");
		await pass(70_000);
		expect(await text).toBe("cut");
	});
});
