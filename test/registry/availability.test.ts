/** Probes that fail, hang and change their minds: no tool vanishes, nothing hangs. */

import { describe, expect, test } from "bun:test";
import { createAvailability } from "../../lib/registry/availability.ts";
import { createAssembler } from "../../lib/registry/definitions.ts";
import { createRegistry } from "../../lib/registry/registry.ts";
import { keptLog, plainTool, testClock } from "../support/tools.ts";

const second = 1_000;

/** A probe that answers what `answers` says, one after the other, then the last one for ever. */
function scripted(...answers: (true | string | Error)[]) {
	const probe = async () => {
		const answer = answers[Math.min(probe.calls++, answers.length - 1)] ?? true;
		if (answer instanceof Error) throw answer;
		return answer;
	};
	probe.calls = 0;
	return probe;
}

describe("check()", () => {
	test("check() asks once in 30 seconds, for a yes and for a no", async () => {
		const clock = testClock();
		const availability = createAvailability({ now: clock.now });
		const [yes, no] = [scripted(true), scripted("no key")];
		const tools = [plainTool("a", "x", { available: yes }), plainTool("b", "x", { available: no })];
		const check = () => Promise.all(tools.map((tool) => availability.check(tool)));
		expect(await check()).toEqual([true, "no key"]);
		clock.pass(29 * second);
		expect(await check()).toEqual([true, "no key"]);
		expect([yes.calls, no.calls]).toEqual([1, 1]);
		clock.pass(2 * second);
		await check();
		expect([yes.calls, no.calls]).toEqual([2, 2]);
	});

	test("check() takes a failure within 60 seconds of a success for a flake, and does not keep it", async () => {
		const clock = testClock();
		const { log, lines } = keptLog();
		const availability = createAvailability({ now: clock.now, log });
		const available = scripted(true, "docker does not answer", "docker does not answer", true);
		const tool = plainTool("terminal", "x", { available });
		await availability.check(tool);
		clock.pass(31 * second);
		expect(await availability.check(tool)).toBe(true);
		expect(await availability.check(tool)).toBe(true);
		expect(available.calls).toBe(3);
		expect(await availability.check(tool)).toBe(true);
		expect(await availability.check(tool)).toBe(true);
		expect({ calls: available.calls, lines }).toEqual({
			calls: 4,
			lines: [1, 2].map(() => "warning terminal stays available: docker does not answer, but it worked a moment ago"),
		});
	});

	test("check() believes a failure that lasts, and keeps its reason", async () => {
		const clock = testClock();
		const availability = createAvailability({ now: clock.now });
		const tool = plainTool("a", "x", { available: scripted(true, new Error("connection\nrefused")) });
		await availability.check(tool);
		clock.pass(61 * second);
		expect(await availability.check(tool)).toBe("its check failed: connection refused");
	});

	test("check() shares one probe among all who ask at once, and among tools with the same function", async () => {
		const availability = createAvailability();
		let calls = 0;
		const available = async () => {
			calls++;
			await Bun.sleep(5);
			return true as const;
		};
		const tools = Array.from({ length: 50 }, (_, index) => plainTool(`t${index}`, "x", { available }));
		expect(new Set(await Promise.all(tools.map((tool) => availability.check(tool))))).toEqual(new Set([true]));
		expect(calls).toBe(1);
	});

	test("check() waits for a probe that hangs only once, and hears it when it answers after all", async () => {
		const clock = testClock();
		const availability = createAvailability({ now: clock.now, probeLimitMs: 20 });
		const { promise, resolve } = Promise.withResolvers<true>();
		let calls = 0;
		const tool = plainTool("a", "x", {
			available: () => {
				calls++;
				return calls === 1 ? promise : Promise.resolve(true);
			},
		});
		expect(await availability.check(tool)).toBe("its check did not answer within 0.02 s");
		clock.pass(31 * second);
		// The first question is old enough to be given up.
		expect(await availability.check(tool)).toBe(true);
		resolve(true);
		expect(calls).toBe(2);
	});

	test("check() does not wait again for a tool that worked a moment ago and hangs now", async () => {
		const clock = testClock();
		const availability = createAvailability({ now: clock.now, probeLimitMs: 20 });
		let calls = 0;
		const tool = plainTool("a", "x", {
			available: () => {
				calls++;
				return calls === 1 ? Promise.resolve(true) : new Promise(() => {});
			},
		});
		await availability.check(tool);
		clock.pass(31 * second);
		const verdicts = [await availability.check(tool), await availability.check(tool), await availability.check(tool)];
		expect({ verdicts, calls }).toEqual({ verdicts: [true, true, true], calls: 2 });
	});

	test("invalidate() forgets the last success too", async () => {
		const availability = createAvailability();
		const tool = plainTool("a", "x", { available: scripted(true, "gone") });
		await availability.check(tool);
		availability.invalidate();
		expect(await availability.check(tool)).toBe("gone");
	});
});

describe("assemble() and probes", () => {
	const names = ({ definitions }: { definitions: readonly { name: string }[] }) => definitions.map(({ name }) => name);

	test("a backend that comes up after the first list is in the next one (the original's memo froze the list)", async () => {
		const clock = testClock();
		const tools = [plainTool("a"), plainTool("b", "x", { available: scripted("down", true) })];
		const registry = createRegistry(tools, [], { now: clock.now });
		const assembler = createAssembler(registry);
		const first = await assembler.assemble();
		expect({ names: names(first), unavailable: first.unavailable }).toEqual({
			names: ["a"],
			unavailable: [{ name: "b", toolset: "x", reason: "down" }],
		});
		clock.pass(31 * second);
		expect(names(await assembler.assemble())).toEqual(["a", "b"]);
	});

	test("invalidate() reaches a list that is kept", async () => {
		const tools = [plainTool("b", "x", { available: scripted("down", true) })];
		const registry = createRegistry(tools);
		const assembler = createAssembler(registry);
		expect(names(await assembler.assemble())).toEqual([]);
		registry.availability.invalidate();
		expect(names(await assembler.assemble())).toEqual(["b"]);
	});

	test("no tool vanishes while its probe fails every second time", async () => {
		const clock = testClock();
		const answers = Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? true : "flake"));
		const tools = [plainTool("b", "x", { available: scripted(...answers) })];
		const assembler = createAssembler(createRegistry(tools, [], { now: clock.now }));
		for (let pass = 0; pass < 50; pass++) {
			expect(names(await assembler.assemble())).toEqual(["b"]);
			clock.pass(31 * second);
		}
	});

	test("100 lists at once, with a probe that hangs, come out the same and ask once", async () => {
		let calls = 0;
		const slow = async () => {
			calls++;
			await Bun.sleep(5);
			return true as const;
		};
		const tools = [
			plainTool("a", "x", { available: slow }),
			plainTool("b", "x", { available: () => new Promise(() => {}) }),
			plainTool("c"),
		];
		const assembler = createAssembler(createRegistry(tools, [], { probeLimitMs: 30 }));
		const lists = await Promise.all(Array.from({ length: 100 }, () => assembler.assemble()));
		expect(new Set(lists.map((list) => names(list).join(" ")))).toEqual(new Set(["a c"]));
		expect(calls).toBe(1);
	});
});
