/** Patches over several files that die, or find no room, at every step: all files are old or all are new, and nothing is left over. */

import { describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { patchFiles } from "../../lib/files/patch-files.ts";
import { writeFile } from "../../lib/files/write.ts";
import { killedScripts } from "../support/killed-scripts.ts";
import { after, before, filesIn, journalsIn, patch, put, torn } from "../support/patched-files.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Each has a folder of its own.
describe.concurrent("patchFiles()", () => {
	test("killed at any step leaves every file old or new, and the next start makes them all the same", async () => {
		using folder = temporaryFolder();
		const [home, cwd] = [join(folder.path, "home"), join(folder.path, "files")];
		for (const made of [home, cwd]) mkdirSync(made);
		const { place, stopAt, started } = killedScripts(folder.path, { cwd, home });
		stopAt(0);
		put(cwd, before);
		expect(await patchFiles(place, patch)).toMatchObject({ ok: true });
		expect(filesIn(cwd)).toEqual(after);
		const steps = started();
		const ended = { old: 0, new: 0 };
		for (let step = 1; step <= steps; step++) {
			put(cwd, before);
			stopAt(step);
			await patchFiles(place, patch).catch(() => undefined);
			expect(torn(filesIn(cwd))).toEqual([]);
			// Whatever comes next looks for what was left behind, here a patch that changes nothing.
			stopAt(0);
			await patchFiles(place, "*** Begin Patch\n*** Delete File: none\n*** End Patch");
			const left = filesIn(cwd);
			expect({ step, left }).toEqual({ step, left: "gone.txt" in left ? before : after });
			expect(journalsIn(home)).toEqual([]);
			ended["gone.txt" in left ? "old" : "new"]++;
		}
		expect(ended.old).toBeGreaterThan(5);
		expect(ended.new).toBeGreaterThan(2);
	}, 240_000);

	test("in which any program fails tells the truth", async () => {
		using folder = temporaryFolder();
		const [home, cwd] = [join(folder.path, "home"), join(folder.path, "files")];
		for (const made of [home, cwd]) mkdirSync(made);
		const { place, stopAt, started } = killedScripts(folder.path, { cwd, home });
		let steps = 1;
		for (let step = 1; step <= steps; step++) {
			put(cwd, before);
			stopAt(step, "fails");
			const result = await patchFiles(place, patch);
			steps = Math.max(steps, step === 1 ? 20 : 0, started());
			stopAt(0);
			await patchFiles(place, "*** Begin Patch\n*** Delete File: none\n*** End Patch");
			expect({ step, left: filesIn(cwd) }).toEqual({ step, left: result.ok ? after : before });
			expect(journalsIn(home)).toEqual([]);
		}
	}, 240_000);

	test("without room for the files leaves all of them old", async () => {
		using folder = temporaryFolder();
		const [home, cwd] = [join(folder.path, "home"), join(folder.path, "files")];
		for (const made of [home, cwd]) mkdirSync(made);
		const { place, stopAt } = killedScripts(folder.path, { cwd, home });
		stopAt(0);
		put(cwd, before);
		const limited = {
			...place,
			execute: (command: string, options = {}) => place.execute(`ulimit -f 8; trap '' XFSZ; ${command}`, options),
		};
		const large = Array.from({ length: 3_000 }, (_, line) => `+line ${line}`).join("\n");
		const result = await patchFiles(limited, patch.replace("+TWO", large));
		expect(result).toMatchObject({ ok: false, error: expect.stringContaining("no file was changed") });
		expect(filesIn(cwd)).toEqual(before);
		expect(journalsIn(home)).toEqual([]);
		expect(readdirSync(cwd)).not.toContain("new");
	});

	test("takes everything back when a file cannot be put in its place", async () => {
		using folder = temporaryFolder();
		const [home, cwd] = [join(folder.path, "home"), join(folder.path, "files")];
		for (const made of [home, cwd]) mkdirSync(made);
		const { place, stopAt } = killedScripts(folder.path, { cwd, home });
		stopAt(0);
		put(cwd, before);
		// The last file is made a folder after everything was looked at: right before the change counts as made.
		const meddling = {
			...place,
			execute: (command: string, options = {}) =>
				place.execute(command.replace(': > "$journal/commit"', 'mkdir "sub/new name"; : > "$journal/commit"'), options),
		};
		expect(await patchFiles(meddling, patch)).toMatchObject({ ok: false, details: { rolled_back: true } });
		expect(filesIn(cwd)).toEqual(before);
		expect(journalsIn(home)).toEqual([]);
	});

	test("refuses files that changed since they were read", async () => {
		using folder = temporaryFolder();
		const [home, cwd] = [join(folder.path, "home"), join(folder.path, "files")];
		for (const made of [home, cwd]) mkdirSync(made);
		const { place, stopAt } = killedScripts(folder.path, { cwd, home });
		stopAt(0);
		put(cwd, before);
		let calls = 0;
		const meddling = {
			...place,
			execute(command: string, options = {}) {
				if (++calls === 2) writeFileSync(join(cwd, "gone.txt"), "g\nmore\n");
				return place.execute(command, options);
			},
		};
		expect(await patchFiles(meddling, patch)).toMatchObject({
			ok: false,
			error: expect.stringContaining("has changed since"),
		});
		expect(filesIn(cwd)).toEqual({ ...before, "gone.txt": "g\nmore\n" });
	});
});

describe.concurrent("writeFile()", () => {
	test("killed at any step leaves the old file or the new one, and the next start removes what was left", async () => {
		using folder = temporaryFolder();
		const [home, cwd] = [join(folder.path, "home"), join(folder.path, "files")];
		for (const made of [home, cwd]) mkdirSync(made);
		const { place, stopAt, started } = killedScripts(folder.path, { cwd, home });
		stopAt(0);
		put(cwd, { "a.txt": "old\n" });
		await writeFile(place, "a.txt", "new\n");
		const steps = started();
		for (let step = 1; step <= steps; step++) {
			put(cwd, { "a.txt": "old\n" });
			stopAt(step);
			await writeFile(place, "a.txt", "new\n").catch(() => undefined);
			expect(["old\n", "new\n"]).toContain(readFileSync(join(cwd, "a.txt"), "utf8"));
			stopAt(0);
			expect(await writeFile(place, "a.txt", "last\n")).toMatchObject({ ok: true });
			expect(filesIn(cwd)).toEqual({ "a.txt": "last\n" });
		}
	}, 120_000);
});
