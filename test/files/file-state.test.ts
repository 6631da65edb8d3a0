/** Agents that share files: turns, refusals of stale writes, and what is told to whom. */

import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { FileState } from "../../lib/files/file-state.ts";
import { patchFile } from "../../lib/files/patch.ts";
import { patchFiles } from "../../lib/files/patch-files.ts";
import type { FilePlace } from "../../lib/files/place.ts";
import { readPage } from "../../lib/files/read.ts";
import { writeFile } from "../../lib/files/write.ts";
import { sharedToolSession } from "../support/shared-tool-session.ts";

const shared = sharedToolSession();

/** Two agents in one place. */
function agents(fileState: FileState): { a: FilePlace; b: FilePlace } {
	const { execute, ranOn } = shared.session.context;
	return { a: { execute, ranOn, fileState, sessionId: "a" }, b: { execute, ranOn, fileState, sessionId: "b" } };
}
const { at } = shared;
const read = (place: FilePlace, path: string, limit = 10) => readPage(place, { path, offset: 1, limit });
const replace = (place: FilePlace, path: string, [oldText, newText]: readonly [string, string]) =>
	patchFile(place, { path, oldText, newText, replaceAll: false });

describe("a file that another agent changed", () => {
	test("is not written by one that has read it before, until it reads it again", async () => {
		const { a, b } = agents(new FileState());
		writeFileSync(at("f"), "one\n");
		await read(a, "f");
		await read(b, "f");
		expect(await writeFile(b, "f", "two\n")).toMatchObject({ ok: true });
		const refused = {
			ok: false as const,
			error: expect.stringMatching(/agent b changed it at \d\d:\d\d:\d\d, after you read it at .*read it again/),
		};
		expect(await writeFile(a, "f", "three\n")).toEqual(refused);
		expect(await replace(a, "f", ["two", "three"])).toMatchObject(refused);
		expect(await patchFiles(a, "*** Update File: f\n-two\n+three")).toMatchObject(refused);
		expect(readFileSync(at("f"), "utf8")).toBe("two\n");
		await read(a, "f");
		expect(await replace(a, "f", ["two", "three"])).toMatchObject({ ok: true });
		expect(await writeFile(b, "f", "four\n")).toMatchObject({ ok: false });
	});

	test("is not written by one that has never read it", async () => {
		const { a, b } = agents(new FileState());
		expect(await patchFiles(b, "*** Add File: new\n+x")).toMatchObject({ ok: true });
		expect(await writeFile(a, "new", "y\n")).toEqual({
			ok: false,
			error: expect.stringContaining("and you have not read it"),
		});
		expect(await replace(b, "new", ["x", "z"])).toMatchObject({ ok: true });
	});

	test("is written without a question where the guard is off, and where it is gone", async () => {
		const { a, b } = agents(new FileState({ guard: false }));
		await writeFile(b, "off", "x\n");
		expect(await writeFile(a, "off", "y\n")).toMatchObject({ ok: true });
		const guarded = agents(new FileState());
		await writeFile(guarded.b, "gone", "x\n");
		await patchFiles(guarded.b, "*** Delete File: gone");
		expect(await writeFile(guarded.a, "gone", "y\n")).toMatchObject({ ok: true });
	});
});

describe("a whole write", () => {
	test("warns of what was changed from outside, and of what was seen in part", async () => {
		const { a } = agents(new FileState());
		writeFileSync(at("w"), "one\ntwo\n");
		await read(a, "w");
		writeFileSync(at("w"), "one\ntwo and more\n");
		expect(await writeFile(a, "w", "x\ny\n")).toMatchObject({
			ok: true,
			warning: expect.stringContaining("by something outside"),
		});
		expect(await writeFile(a, "w", "z\nz\n")).not.toHaveProperty("warning");
		await read(a, "w", 1);
		expect(await writeFile(a, "w", "z\n")).toMatchObject({ ok: true, warning: expect.stringContaining("only a part") });
	});
});

describe("inTurn()", () => {
	test("lets changes of one path follow each other, and others run beside them", async () => {
		const state = new FileState();
		const events: string[] = [];
		const gate = Promise.withResolvers<void>();
		const first = state.inTurn(["b", "a"], async () => {
			events.push("first");
			await gate.promise;
			events.push("first done");
		});
		const second = state.inTurn(["a", "c"], async () => void events.push("second"));
		await state.inTurn(["d"], async () => void events.push("beside"));
		gate.resolve();
		await Promise.all([first, second]);
		expect([events.slice(0, 2).sort(), ...events.slice(2)]).toEqual([["beside", "first"], "first done", "second"]);
	});

	test("goes on after a change that throws", async () => {
		const state = new FileState();
		const failing = state.inTurn(["a"], () => Promise.reject(new Error("no")));
		expect(failing).rejects.toThrow("no");
		expect(await state.inTurn(["a"], async () => 7)).toBe(7);
	});
});

test("patchFailed() counts per task and file, and forgets the oldest files", () => {
	const state = new FileState();
	expect([state.patchFailed("t", "a"), state.patchFailed("t", "a"), state.patchFailed("u", "a")]).toEqual([1, 2, 1]);
	for (let index = 0; index < 64; index++) state.patchFailed("t", `f${index}`);
	expect(state.patchFailed("t", "a")).toBe(1);
	state.patchWorked("t", "a");
	expect(state.patchFailed("t", "a")).toBe(1);
});
