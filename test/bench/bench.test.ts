/** How benches are measured: order, warm-up, percentiles. */

import { describe, expect, test } from "bun:test";
import { defineBench, measure, spread } from "../../bench/bench.ts";

describe("spread()", () => {
	test.each([
		[[5], { p50: 5, p95: 5 }],
		[[4, 1, 3, 2], { p50: 2, p95: 4 }],
		[Array.from({ length: 100 }, (_, index) => 100 - index), { p50: 50, p95: 95 }],
	])("gives the nearest rank of %j", (milliseconds, expected) => {
		expect(spread(milliseconds)).toEqual(expected);
	});
});

describe("measure()", () => {
	test("alternates who goes first, warms up, and closes what it opened", async () => {
		const calls: string[] = [];
		const bench = defineBench({
			operation: "ours",
			floor: "theirs",
			samples: 2,
			target: 2,
			open: async () => ({
				operation: async () => calls.push("operation"),
				floor: async () => calls.push("floor"),
				[Symbol.asyncDispose]: async () => void calls.push("closed"),
			}),
		});
		const { name, target, ratio, operation, floor } = await measure("pair", bench);
		expect({ name, target, ratio }).toEqual({ name: "pair", target: 2, ratio: operation.p50 / floor.p50 });
		// Three pairs of warm-up and two that count.
		expect(calls).toEqual([
			...["floor", "operation", "operation", "floor", "floor", "operation"],
			...["operation", "floor", "floor", "operation"],
			"closed",
		]);
	});

	test("closes what it opened when an operation fails", async () => {
		const calls: string[] = [];
		const bench = defineBench({
			operation: "ours",
			floor: "theirs",
			samples: 2,
			open: async () => ({
				operation: () => Promise.reject(new Error("Cannot run: broken")),
				floor: async () => {},
				[Symbol.asyncDispose]: async () => void calls.push("closed"),
			}),
		});
		await expect(measure("broken", bench)).rejects.toThrow("Cannot run: broken");
		expect(calls).toEqual(["closed"]);
	});
});
