/** What happens before an edit: one checkpoint a turn and folder, and no edit that waits for one that cannot be made. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BackendUnavailable } from "../../../lib/environments/backend.ts";
import { EditGuard, type EditGuardOptions } from "../../../lib/files/checkpoints/edit-guard.ts";
import { openCheckpointScene, usualLimits } from "./checkpoint-scene.ts";

// Each test starts many processes, and other tests may keep the machine busy.
setDefaultTimeout(60_000);

async function openGuarded(options: Partial<EditGuardOptions> = {}) {
	const scene = await openCheckpointScene();
	const warnings: string[] = [];
	const guard = new EditGuard({
		limits: usualLimits,
		storeOf: () => scene.store,
		onWarning: (text) => warnings.push(text),
		...options,
	});
	const edit = (turn: string, ...names: string[]) =>
		guard.before(scene.place, {
			paths: names.map((name) => join(scene.root, name)),
			reason: `before ${names.join()}`,
			turn,
		});
	const reasons = async () => (await scene.list()).map(({ reason }) => reason);
	return { scene, guard, warnings, edit, reasons, [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose]() };
}

describe("EditGuard", () => {
	test("before() keeps a folder once a turn, also when edits run side by side", async () => {
		await using guarded = await openGuarded();
		const { scene, edit, reasons } = guarded;
		scene.write({ a: "1" });
		await Promise.all([edit("one", "a"), edit("one", "a"), edit("one", "b")]);
		scene.write({ a: "2" });
		await edit("one", "sub/c");
		scene.write({ a: "3" });
		await edit("two", "a");
		expect((await reasons()).length).toBe(2);
		scene.write({ a: "4" });
		await scene.restore();
		expect(scene.files()).toEqual({ a: "1" });
	});

	test("before() keeps each project of an edit that touches several", async () => {
		await using guarded = await openGuarded();
		const { scene, edit } = guarded;
		scene.write({ "package.json": "{}", "inner/package.json": "{}", "inner/x": "1" });
		await edit("one", "a", "inner/x");
		const roots = [...new Bun.Glob("store/projects/*").scanSync(scene.store.folder)];
		expect(roots.length).toBe(2);
	});

	test("before() tries again in the same turn after it failed", async () => {
		await using guarded = await openGuarded();
		const { scene, edit, reasons, warnings } = guarded;
		scene.write({ a: "1" });
		mkdirSync(join(scene.outside, "home"));
		writeFileSync(scene.store.folder, "in the way");
		await edit("one", "a");
		rmSync(scene.store.folder);
		await edit("one", "a");
		expect([await reasons(), warnings]).toEqual([["before a"], []]);
	});

	test("before() says once that there is no git, and the edits go on", async () => {
		await using guarded = await openGuarded({ storeOf: () => ({ folder: "/nonexistent", git: "/nonexistent/git" }) });
		await guarded.edit("one", "a");
		await guarded.edit("two", "a");
		expect(guarded.warnings).toEqual([
			"No checkpoints: there is no git on local; changes of files cannot be taken back",
		]);
	});

	test("before() says once for each folder that it has too many files", async () => {
		await using guarded = await openGuarded({ mostFiles: 1 });
		const { scene, edit, warnings } = guarded;
		scene.write({ a: "1", b: "1" });
		await edit("one", "a");
		await edit("two", "b");
		expect(warnings).toEqual([
			`No checkpoints: "${scene.root}": it has 2 files, 1 are the limit; changes of files cannot be taken back`,
		]);
	});

	test("before() does not let every edit of a turn wait for a folder that takes too long", async () => {
		await using guarded = await openGuarded();
		const { scene, guard, warnings, edit } = guarded;
		scene.write({ a: "1" });
		let tries = 0;
		const slow: typeof scene.place = {
			...scene.place,
			async execute(command, options) {
				const outcome = await scene.place.execute(command, options);
				if (!command.includes("write-tree")) return outcome;
				tries++;
				return { ...outcome, output: "", ended: "timed_out" };
			},
		};
		for (const name of ["a", "b"])
			await guard.before(slow, { paths: [join(scene.root, name)], reason: "", turn: "one" });
		expect([tries, warnings]).toEqual([
			1,
			[`No checkpoints: "${scene.root}": it took longer than 120 seconds; changes of files cannot be taken back`],
		]);
		await edit("two", "a");
		expect((await scene.list()).length).toBe(1);
	});

	test("before() keeps no home and no folder of the system, and needs no word for it", async () => {
		await using guarded = await openGuarded();
		const { guard, scene, warnings } = guarded;
		const place = { ...scene.place, cwd: scene.outside };
		for (const path of [`${scene.outside}/x`, "/x", "/etc/x", "/tmp/x", "~/x", "/"]) {
			await guard.before(place, { paths: [path], reason: "", turn: "one" });
		}
		expect([[...new Bun.Glob("**").scanSync({ cwd: scene.outside, onlyFiles: true })], warnings]).toEqual([[], []]);
	});

	test("before() never throws, whatever the place does", async () => {
		await using guarded = await openGuarded();
		for (const cause of [new BackendUnavailable("gone"), new Error("odd")]) {
			const place = { cwd: "/", ranOn: "broken", execute: () => Promise.reject(cause) };
			await guarded.guard.before(place, { paths: ["/desk/a"], reason: "", turn: "one" });
		}
		await guarded.guard.settled();
	});

	test("before() clears up when nobody has for a day", async () => {
		await using guarded = await openGuarded({ limits: { ...usualLimits, retentionDays: 1 } });
		const { scene, edit, guard, reasons } = guarded;
		scene.write({ a: "1" });
		await scene.take({ now: () => 1_000_000_000_000 });
		await scene.place.execute(`touch -d '2 days ago' "${scene.store.folder}/.last_prune"`);
		scene.write({ a: "2" });
		await edit("one", "a");
		await guard.settled();
		expect(await reasons()).toEqual(["before a"]);
		const { output } = await scene.place.execute(`find "${scene.store.folder}/.last_prune" -mmin -5 | wc -l`);
		expect(output.trim()).toBe("1");
	});
});
