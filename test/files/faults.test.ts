/** Disks that are full or broken, and programs that are killed in the middle of a call: files are old or new, and nothing is left over. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { patchFiles } from "../../lib/files/patch-files.ts";
import type { FilePlace } from "../../lib/files/place.ts";
import { writeFile } from "../../lib/files/write.ts";
import { canTrace, changingCalls, type Fault, faultyPlace } from "../support/faulty-place.ts";
import { after, before, filesIn, journalsIn, nextPatch, patch, put, torn } from "../support/patched-files.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

setDefaultTimeout(600_000);

/** Everything takes minutes. */
const isSoak = process.env.HERMES_TEST_SOAK === "1";
const [mostCalls, step] = isSoak ? [200, 1] : [7, 6];
const sweeps = changingCalls.flatMap((calls) => (["SIGKILL", "ENOSPC"] as const).map((how) => [how, calls] as const));
const isTraced = canTrace();

function folders(root: string): { readonly home: string; readonly cwd: string } {
	const [home, cwd] = [join(root, "home"), join(root, "files")];
	for (const made of [home, cwd]) mkdirSync(made, { recursive: true });
	return { home, cwd };
}

/** The outcome of a patch, and what the next start makes of it. */
async function checkPatch(place: FilePlace, { home, cwd }: ReturnType<typeof folders>, meet: (on: boolean) => void) {
	put(cwd, before);
	meet(true);
	const result = await patchFiles(place, patch).catch(() => undefined);
	meet(false);
	expect(torn(filesIn(cwd))).toEqual([]);
	await patchFiles(place, nextPatch);
	const left = filesIn(cwd);
	// What is said is true; when nothing could be said, all files are old or all are new.
	const expected = result === undefined ? [before, after] : [result.ok ? after : before];
	expect(expected).toContainEqual(left);
	expect(journalsIn(home)).toEqual([]);
	return result;
}

describe.skipIf(!isTraced)("with a fault in a system call", () => {
	test.each(sweeps)("patchFiles() keeps all files old or new: %s at %s", async (how, calls) => {
		using folder = temporaryFolder();
		const where = folders(folder.path);
		const faulty = faultyPlace(folder.path, where);
		for (let at = 1; at <= mostCalls; at += step) {
			const fault: Fault = { calls, at, how };
			await checkPatch(faulty.place, where, (on) => faulty.meet(on ? fault : undefined));
			if (!faulty.met()) break;
		}
	});

	test.each(sweeps)("writeFile() keeps the file old or new: %s at %s", async (how, calls) => {
		using folder = temporaryFolder();
		const where = folders(folder.path);
		const faulty = faultyPlace(folder.path, where);
		for (let at = 1; at <= mostCalls; at += step) {
			put(where.cwd, { f: "old\n" });
			faulty.meet({ calls, at, how });
			const result = await writeFile(faulty.place, "f", "new\n").catch(() => undefined);
			const met = faulty.met();
			faulty.meet(undefined);
			const left = readFileSync(join(where.cwd, "f"), "utf8");
			if (result?.ok === true) expect(left).toBe("new\n");
			expect(["old\n", "new\n"]).toContain(left);
			expect(await writeFile(faulty.place, "f", "last\n")).toMatchObject({ ok: true });
			expect(filesIn(where.cwd)).toEqual({ f: "last\n" });
			if (!met) break;
		}
	});
});

describe("with a limit on the size of files", () => {
	test("patchFiles() and writeFile() change everything or nothing", async () => {
		using folder = temporaryFolder();
		const where = folders(folder.path);
		const { place: plain } = faultyPlace(folder.path, where);
		for (const blocks of [0, 1, 2, 3]) {
			let isOn = false;
			const limit = `trap '' XFSZ; ulimit -f ${blocks}; `;
			const place: FilePlace = { execute: (command, options) => plain.execute((isOn ? limit : "") + command, options) };
			await checkPatch(place, where, (on) => {
				isOn = on;
			});
			put(where.cwd, { f: "old\n" });
			isOn = true;
			const text = "x".repeat(1_500);
			const result = await writeFile(place, "f", text);
			expect(filesIn(where.cwd)).toEqual({ f: result.ok ? text : "old\n" });
		}
	});
});

/** A file system of so many kilobytes at `path`; undefined where that takes more rights. */
function mountSmall(path: string, kilobytes: number): Disposable | undefined {
	mkdirSync(path);
	const mounted = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", `size=${kilobytes}k`, "hermes-test", path]);
	if (mounted.exitCode !== 0) return undefined;
	return { [Symbol.dispose]: () => void Bun.spawnSync(["umount", "-l", path]) };
}

function canMount(): boolean {
	using folder = temporaryFolder();
	using disk = mountSmall(join(folder.path, "disk"), 64);
	return disk !== undefined;
}

/** Leaves so many pages of the disk at `root` free, or all of them. */
function fill(root: string, free: number | undefined): void {
	Bun.spawnSync(["rm", "-f", join(root, "filling")]);
	if (free === undefined) return;
	const { bavail, bsize } = statfsSync(root);
	if (bavail > free) writeFileSync(join(root, "filling"), new Uint8Array((bavail - free) * bsize));
}

describe.skipIf(!canMount())("on a disk that is full", () => {
	test.each([
		["of the files", 64, 12],
		["of files and journals", 160, 39],
	] as const)("patchFiles() and writeFile() change everything or nothing: %s", async (which, kilobytes, pages) => {
		using folder = temporaryFolder();
		const root = join(folder.path, "disk");
		using _disk = mountSmall(root, kilobytes);
		const home = which === "of the files" ? folders(folder.path).home : folders(root).home;
		const where = { home, cwd: folders(root).cwd };
		const { place } = faultyPlace(folder.path, where);
		const ended = { changed: 0, refused: 0 };
		for (let free = 0; free < pages; free += isSoak || pages < 20 ? 1 : 3) {
			const result = await checkPatch(place, where, (on) => fill(root, on ? free : undefined));
			ended[result?.ok === true ? "changed" : "refused"]++;
			put(where.cwd, { f: "old\n" });
			fill(root, free);
			const text = "x".repeat(9_000);
			const written = await writeFile(place, "f", text);
			expect(filesIn(where.cwd)).toEqual({ f: written.ok ? text : "old\n" });
			expect(readdirSync(where.cwd)).toEqual(["f"]);
			fill(root, undefined);
		}
		expect(ended.changed).toBeGreaterThan(0);
		expect(ended.refused).toBeGreaterThan(0);
	});
});
