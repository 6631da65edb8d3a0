/** Signals for as long as something runs. */

import { describe, expect, test } from "bun:test";
import { firstAborted } from "../../lib/base/abort.ts";

describe("firstAborted()", () => {
	test("firstAborted() aborts with the first of its signals and its reason", () => {
		const [one, two] = [new AbortController(), new AbortController()];
		using first = firstAborted([one.signal, two.signal]);
		expect(first.signal.aborted).toBeFalse();
		two.abort("two");
		one.abort("one");
		expect([first.signal.aborted, first.signal.reason]).toEqual([true, "two"]);
	});

	test("firstAborted() is aborted already when one of them is", () => {
		using first = firstAborted([new AbortController().signal, AbortSignal.abort("before")]);
		expect([first.signal.aborted, first.signal.reason]).toEqual([true, "before"]);
	});

	test("firstAborted() hears nothing after it was disposed of", () => {
		const one = new AbortController();
		const first = firstAborted([one.signal]);
		first[Symbol.dispose]();
		one.abort();
		expect(first.signal.aborted).toBeFalse();
	});
});
