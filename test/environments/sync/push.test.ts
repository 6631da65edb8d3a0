/** What travels to a sandbox, when, and what becomes of it when something fails on the way. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import {
	chmodSync,
	existsSync,
	lstatSync,
	mkdirSync,
	readdirSync,
	rmSync,
	statSync,
	symlinkSync,
	utimesSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { openSyncPlace, put, type SyncPlace, signal, textOf } from "./far-place.ts";

// Each test starts many processes, and other tests may keep the machine busy.
setDefaultTimeout(60_000);

/** Two skills and a document, an hour old. */
function fill({ home }: Pick<SyncPlace, "home">): void {
	put(join(home, "skills/a/SKILL.md"), "a", 3600);
	put(join(home, "skills/b/references/x y.md"), "b", 3600);
	put(join(home, "cache/documents/d.txt"), "d", 3600);
}

const all = ["cache/documents/d.txt", "skills/a/SKILL.md", "skills/b/references/x y.md"];

/** What a push did, in short. */
async function pushed(place: SyncPlace, sync = place.sync) {
	place.clockMs += 5_000;
	const outcome = await sync.push(signal);
	if (outcome.is !== "pushed") return outcome;
	return { sent: [...outcome.sent].sort(), deleted: [...outcome.deleted].sort() };
}

describe("push()", () => {
	test("sends everything the first time, nothing when nothing changed, and then only what did", async () => {
		await using place = await openSyncPlace();
		fill(place);
		expect(await pushed(place)).toEqual({ sent: all, deleted: [] });
		for (const to of all) expect(textOf(join(place.base, to))).toBe(textOf(join(place.home, to)));
		expect(await pushed(place)).toEqual({ sent: [], deleted: [] });
		put(join(place.home, "skills/a/SKILL.md"), "a2");
		put(join(place.home, "skills/a/new.md"), "new");
		expect(await pushed(place)).toEqual({ sent: ["skills/a/SKILL.md", "skills/a/new.md"], deleted: [] });
		expect(textOf(join(place.base, "skills/a/SKILL.md"))).toBe("a2");
	});

	test("deletes what is gone here, and folders that are empty then; what the sandbox made stays", async () => {
		await using place = await openSyncPlace();
		fill(place);
		await pushed(place);
		put(join(place.base, "skills/a/own.md"), "own");
		rmSync(join(place.home, "skills"), { recursive: true });
		expect(await pushed(place)).toEqual({ sent: [], deleted: all.slice(1) });
		expect(readdirSync(join(place.base, "skills"))).toEqual(["a"]);
		expect(readdirSync(join(place.base, "skills/a"))).toEqual(["own.md"]);
	});

	test("replaces a folder by a file, and a file by a folder", async () => {
		await using place = await openSyncPlace();
		put(join(place.home, "skills/x/y.md"), "1", 60);
		put(join(place.home, "skills/z"), "2", 60);
		await pushed(place);
		rmSync(join(place.home, "skills/x"), { recursive: true });
		rmSync(join(place.home, "skills/z"));
		put(join(place.home, "skills/x"), "3", 60);
		put(join(place.home, "skills/z/y.md"), "4", 60);
		expect(await pushed(place)).toEqual({
			sent: ["skills/x", "skills/z/y.md"],
			deleted: ["skills/x/y.md", "skills/z"],
		});
		expect([textOf(join(place.base, "skills/x")), textOf(join(place.base, "skills/z/y.md"))]).toEqual(["3", "4"]);
	});

	test("puts nothing into a folder of the same name that another run makes at the same moment", async () => {
		await using place = await openSyncPlace();
		fill(place);
		// The first to move a folder is held up, after it has seen that there is none.
		place.shadow(
			"mv",
			'mkdir "$HOME/held" 2>/dev/null && while [ ! -e "$HOME/go" ]; do sleep 0.01; done; exec /bin/mv "$@"',
		);
		const first = place.sync.push(signal);
		while (!existsSync(join(place.far, "held"))) await Bun.sleep(5);
		expect(await place.again().push(signal)).toMatchObject({ is: "pushed" });
		put(join(place.far, "go"), "");
		expect(await first).toMatchObject({ is: "pushed" });
		const there = readdirSync(place.base, { recursive: true, withFileTypes: true });
		const files = there.filter((entry) => entry.isFile() && !entry.parentPath.endsWith(".sync"));
		expect(files.map(({ parentPath, name }) => join(parentPath, name).slice(place.base.length + 1)).sort()).toEqual(
			all,
		);
	});

	test("looks every five seconds at most, unless it is eager; many at once share one push", async () => {
		await using place = await openSyncPlace();
		fill(place);
		const [first, second] = await Promise.all([place.sync.push(signal), place.sync.push(signal)]);
		expect(second).toBe(first);
		put(join(place.home, "skills/a/SKILL.md"), "a2");
		place.clockMs += 4_999;
		expect(await place.sync.push(signal)).toEqual({ is: "skipped" });
		place.clockMs += 1;
		expect(await place.sync.push(signal)).toMatchObject({ sent: ["skills/a/SKILL.md"] });
		const eager = place.again({ isEager: true });
		await eager.push(signal);
		put(join(place.home, "skills/a/SKILL.md"), "a3");
		expect(await eager.push(signal)).toMatchObject({ sent: ["skills/a/SKILL.md"] });
	});

	test("sends a file that was written again within the tick of its clock and has the same size", async () => {
		await using place = await openSyncPlace();
		const path = join(place.home, "skills/a.md");
		put(path, "one");
		const time = new Date();
		utimesSync(path, time, time);
		await pushed(place);
		writeFileSync(path, "two");
		utimesSync(path, time, time);
		expect(await pushed(place)).toEqual({ sent: ["skills/a.md"], deleted: [] });
		expect(textOf(join(place.base, "skills/a.md"))).toBe("two");
		expect(await pushed(place)).toEqual({ sent: [], deleted: [] });
	});

	test("leaves out links, pipes and what cannot be read, and does not try those again and again", async () => {
		await using place = await openSyncPlace();
		fill(place);
		symlinkSync("/etc/passwd", join(place.home, "skills/link.md"));
		symlinkSync("/etc", join(place.home, "skills/folder"));
		Bun.spawnSync(["mkfifo", join(place.home, "skills/pipe")]);
		put(join(place.home, "skills/bro\nken.md"), "x");
		expect(await pushed(place)).toEqual({ sent: all, deleted: [] });
		expect(await pushed(place)).toEqual({ sent: [], deleted: [] });
		expect(readdirSync(join(place.base, "skills")).sort()).toEqual(["a", "b"]);
	});

	test("takes a file that vanishes between the look and the reading for one that was never there", async () => {
		await using place = await openSyncPlace();
		fill(place);
		const vanishing = join(place.home, "skills/a/SKILL.md");
		const { sandbox } = place;
		const late = place.again({
			sources: () => {
				const trees = [{ from: join(place.home, "skills"), to: "skills", comesBack: false }];
				// After the look; the archive is read when the program there runs.
				const start = sandbox.start;
				Object.assign(sandbox, {
					start: (...args: Parameters<typeof start>) => {
						if (args[1].stdin === "pipe") rmSync(vanishing, { force: true });
						return start(...args);
					},
				});
				return { files: [], trees };
			},
		});
		expect(await pushed(place, late)).toEqual({ sent: ["skills/b/references/x y.md"], deleted: [] });
		expect(place.warnings).toEqual([]);
	});

	test("masks modes, keeps times, and lets only the owner read credentials; the home keeps its mode", async () => {
		await using place = await openSyncPlace({ credentials: ["token.json"] });
		put(join(place.home, "skills/run.sh"), "x", 100);
		chmodSync(join(place.home, "skills/run.sh"), 0o6777);
		put(join(place.home, "token.json"), "t");
		chmodSync(join(place.home, "token.json"), 0o777);
		chmodSync(place.far, 0o750);
		await pushed(place);
		const mode = (path: string) => (statSync(path).mode & 0o7777).toString(8);
		expect({
			home: mode(place.far),
			base: mode(place.base),
			run: mode(join(place.base, "skills/run.sh")),
			token: mode(join(place.base, "token.json")),
			time: Math.floor(statSync(join(place.base, "skills/run.sh")).mtimeMs / 1000),
		}).toEqual({
			home: "750",
			base: "700",
			run: "755",
			token: "600",
			time: Math.floor(statSync(join(place.home, "skills/run.sh")).mtimeMs / 1000),
		});
		chmodSync(join(place.home, "skills/run.sh"), 0o644);
		expect(await pushed(place)).toEqual({ sent: ["skills/run.sh"], deleted: [] });
	});

	test("a new run sends what the sandbox lacks or has otherwise, and deletes what was deleted in between", async () => {
		await using place = await openSyncPlace();
		fill(place);
		put(join(place.home, "skills/c.md"), "c", 3600);
		await pushed(place);
		put(join(place.base, "skills/a/SKILL.md"), "changed there");
		rmSync(join(place.base, "cache/documents/d.txt"));
		rmSync(join(place.home, "skills/c.md"));
		expect(await pushed(place, place.again())).toEqual({ sent: all.slice(0, 2), deleted: ["skills/c.md"] });
		expect(existsSync(join(place.base, "skills/c.md"))).toBe(false);
		expect(await pushed(place, place.again())).toEqual({ sent: [], deleted: [] });
	});

	test("a record that is broken, or made by somebody hostile, is no harm", async () => {
		await using place = await openSyncPlace();
		fill(place);
		await pushed(place);
		const [record = ""] = readdirSync(join(place.base, ".sync"));
		put(join(place.far, "precious"), "p");
		const lines = [
			"+ 1 1 644 old - ../precious",
			"+ 1 1 644 old - /etc/passwd",
			"+ x",
			"+ 1 1 644 old - skills/../../precious",
		];
		put(join(place.base, ".sync", record), `${lines.join("\n")}\n+ 1 1 644 o`);
		expect(await pushed(place, place.again())).toEqual({ sent: all, deleted: [] });
		expect(textOf(join(place.far, "precious"))).toBe("p");
		expect(await pushed(place, place.again())).toEqual({ sent: [], deleted: [] });
	});

	test("a far side without tar is told of once, in words; commands go on", async () => {
		await using place = await openSyncPlace();
		fill(place);
		// Found, and good for nothing.
		place.shadow("tar", "echo disk full >&2; exit 2");
		const reason = "disk full";
		expect(await pushed(place)).toEqual({ is: "failed", reason });
		const warning = `sync warning: files of this machine were not copied to local (${reason}); commands see what was there before`;
		expect(place.warnings).toEqual([warning]);
		expect([place.sync.takeWarning(), place.sync.takeWarning()]).toEqual([warning, undefined]);
		expect(readdirSync(place.base)).toEqual([".sync"]);
		expect(readdirSync(join(place.base, ".sync"))).toEqual([]);
	});

	test("what failed is tried again after 5, 10, 20, 40, 60 and 60 seconds, is told once, and then sends everything", async () => {
		await using place = await openSyncPlace();
		fill(place);
		place.shadow("tar", "exit 2");
		expect(await place.sync.push(signal)).toMatchObject({ is: "failed" });
		for (const seconds of [5, 10, 20, 40, 60, 60]) {
			place.clockMs += seconds * 1000 - 1;
			expect(await place.sync.push(signal)).toEqual({ is: "skipped" });
			place.clockMs += 1;
			expect(await place.sync.push(signal)).toMatchObject({ is: "failed" });
		}
		expect(place.warnings).toHaveLength(1);
		rmSync(join(place.far, "bin/tar"));
		place.clockMs += 60_000;
		expect(await pushed(place)).toEqual({ sent: all, deleted: [] });
	});

	test("a deletion that fails leaves the state as it was, and is repeated", async () => {
		await using place = await openSyncPlace();
		fill(place);
		await pushed(place);
		rmSync(join(place.home, "skills/a"), { recursive: true });
		place.shadow("rm", 'case "$*" in *SKILL.md*) echo busy; exit 1;; esac; exec /bin/rm "$@"');
		expect(await pushed(place)).toEqual({ is: "failed", reason: "busy" });
		rmSync(join(place.far, "bin/rm"));
		expect(await pushed(place)).toEqual({ sent: [], deleted: ["skills/a/SKILL.md"] });
	});

	test("an archive that is cut anywhere changes nothing there", async () => {
		await using place = await openSyncPlace();
		fill(place);
		await pushed(place);
		put(join(place.home, "skills/a/SKILL.md"), "a2");
		put(join(place.home, "skills/a/new.md"), "new");
		// Whole blocks, so that tar itself finds nothing wrong with what it got.
		for (const blocks of [0, 1, 2, 4, 6, 8]) {
			place.shadow("tar", `head -c ${blocks * 512} | /bin/tar "$@"`);
			expect(await pushed(place)).toMatchObject({ is: "failed" });
			place.clockMs += 60_000;
			expect(textOf(join(place.base, "skills/a/SKILL.md"))).toBe("a");
			expect(existsSync(join(place.base, "skills/a/new.md"))).toBe(false);
		}
		rmSync(join(place.far, "bin/tar"));
		expect(await pushed(place)).toEqual({ sent: ["skills/a/SKILL.md", "skills/a/new.md"], deleted: [] });
	});

	test("follows no link that the sandbox put in the place of a file, and says so when a folder is in the way", async () => {
		await using place = await openSyncPlace();
		fill(place);
		put(join(place.far, "precious"), "p");
		mkdirSync(join(place.base, "skills/a"), { recursive: true });
		symlinkSync(join(place.far, "precious"), join(place.base, "skills/a/SKILL.md"));
		await pushed(place);
		expect(textOf(join(place.far, "precious"))).toBe("p");
		expect(lstatSync(join(place.base, "skills/a/SKILL.md")).isFile()).toBe(true);
		rmSync(join(place.base, "skills/a/SKILL.md"));
		mkdirSync(join(place.base, "skills/a/SKILL.md/deep"), { recursive: true });
		put(join(place.home, "skills/a/SKILL.md"), "a2");
		expect(await pushed(place)).toMatchObject({ is: "failed", reason: expect.stringContaining("director") });
	});

	test("removes what a run left behind that was killed there", async () => {
		await using place = await openSyncPlace();
		fill(place);
		put(join(place.base, ".sync/old/new/skills/x"), "x");
		put(join(place.base, ".sync/young/new/skills/x"), "x");
		const time = Date.now() / 1000 - 3 * 86_400;
		utimesSync(join(place.base, ".sync/old"), time, time);
		await pushed(place);
		expect(readdirSync(join(place.base, ".sync")).filter((name) => name.length < 32)).toEqual(["young"]);
	});

	test("one caller that gives up does not end the push of the others", async () => {
		await using place = await openSyncPlace();
		fill(place);
		const controller = new AbortController();
		const first = place.sync.push(controller.signal);
		const second = place.sync.push(signal);
		controller.abort(new Error("gone"));
		expect(first).rejects.toThrow("gone");
		expect(await second).toMatchObject({ is: "pushed", sent: expect.arrayContaining(all) });
	});

	test("stop() ends a push under way and leaves nothing half done", async () => {
		await using place = await openSyncPlace();
		fill(place);
		place.shadow("tar", "sleep 20; exit 1");
		const pushing = place.sync.push(signal);
		while (!existsSync(join(place.base, ".sync"))) await Bun.sleep(5);
		await place.sync.stop();
		expect(await pushing).toEqual({ is: "skipped" });
		expect(readdirSync(place.base)).toEqual([".sync"]);
		expect(place.warnings).toEqual([]);
	});

	test("says what takes longer than two seconds", async () => {
		await using place = await openSyncPlace();
		fill(place);
		place.shadow("tar", 'sleep 2.3; exec /bin/tar "$@"');
		await pushed(place);
		expect(place.progress).toEqual(["Copying 3 files (0.0 MB) to local"]);
	});
});
