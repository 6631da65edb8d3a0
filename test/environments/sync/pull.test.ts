/** What comes back from a sandbox, and above all what does not. */

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
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { takeFileLock } from "../../../lib/base/file-lock.ts";
import { runProgram } from "../../support/run-program.ts";
import { openSyncPlace, put, type SyncOptions, type SyncPlace, signal, textOf } from "./far-place.ts";
import { archive, file, header, linkTo } from "./hostile-archive.ts";

// Each test starts many processes, and other tests may keep the machine busy.
setDefaultTimeout(60_000);

const document = "cache/documents/d.txt";

/** A sandbox that has been given a skill, a document, memories and credentials. */
async function openFilled(options: SyncOptions = {}): Promise<SyncPlace> {
	const place = await openSyncPlace({ credentials: ["token.json", "cache/documents/key.json"], ...options });
	put(join(place.home, "skills/a/SKILL.md"), "a", 3600);
	put(join(place.home, "memories/MEMORY.md"), "m", 3600);
	put(join(place.home, document), "d", 3600);
	put(join(place.home, "token.json"), "t", 3600);
	put(join(place.home, "cache/documents/key.json"), "k", 3600);
	put(join(place.home, "config.yaml"), "approvals: {mode: ask}\n", 3600);
	expect(await place.sync.push(signal)).toMatchObject({ is: "pushed" });
	return place;
}

/** Every file of a home, by its name, without our own lock. */
function contents(home: string): Record<string, string> {
	const names = readdirSync(home, { recursive: true, encoding: "utf8" }).sort();
	const files = names.filter((name) => lstatSync(join(home, name)).isFile() && name !== ".sync.lock");
	return Object.fromEntries(files.map((name) => [name, textOf(join(home, name)) ?? ""]));
}

const nothing = { is: "back", written: [], beside: [], refused: [], failed: [] } as const;

describe("pull()", () => {
	test("brings back what was changed and made in the caches, and makes folders for it", async () => {
		await using place = await openFilled();
		put(join(place.base, document), "changed");
		put(join(place.base, "cache/images/deep/new.png"), "png");
		chmodSync(join(place.base, "cache/images/deep/new.png"), 0o6777);
		const written = [document, "cache/images/deep/new.png"].map((name) => join(place.home, name));
		const back = await place.sync.pull();
		expect({ ...back, written: "written" in back && [...back.written].sort() }).toEqual({ ...nothing, written });
		expect(written.map((path) => textOf(path))).toEqual(["changed", "png"]);
		expect((statSync(written[1] ?? "").mode & 0o7777).toString(8)).toBe("644");
		expect(place.warnings).toEqual([]);
		expect(readdirSync(place.home)).not.toContain("sync-back");
	});

	test("puts it where an older home has its caches", async () => {
		await using place = await openSyncPlace();
		put(join(place.home, "image_cache/i.png"), "i", 60);
		await place.sync.push(signal);
		expect(textOf(join(place.base, "cache/images/i.png"))).toBe("i");
		put(join(place.base, "cache/images/i.png"), "i2");
		put(join(place.base, "cache/images/j.png"), "j");
		await place.sync.pull();
		expect(contents(place.home)).toEqual({ "image_cache/i.png": "i2", "image_cache/j.png": "j" });
	});

	test("does nothing, and asks nothing, when nothing was ever sent", async () => {
		await using place = await openSyncPlace();
		expect(await place.sync.pull()).toEqual(nothing);
		await place.again().push(signal);
		put(join(place.base, document), "theirs");
		const empty = place.again();
		await empty.push(signal);
		expect(await empty.pull()).toEqual(nothing);
		expect(existsSync(join(place.home, document))).toBe(false);
	});

	test("deletions there are nobody's business here", async () => {
		await using place = await openFilled();
		rmSync(join(place.base, "cache"), { recursive: true });
		expect(await place.sync.pull()).toEqual(nothing);
		expect(textOf(join(place.home, document))).toBe("d");
	});

	test("changes nothing outside of the caches, whatever is there (R149, R151)", async () => {
		await using place = await openFilled();
		const before = contents(place.home);
		const targets = [
			"config.yaml",
			".env",
			"auth.json",
			"SOUL.md",
			"token.json",
			"memories/MEMORY.md",
			"skills/evil/SKILL.md",
		];
		const more = [
			"skills/a/SKILL.md",
			"hooks/h/hook.sh",
			"cron/jobs.json",
			"plugins/p/p.ts",
			"mcp-tokens/t.json",
			"pairing/p.json",
		];
		for (const name of [...targets, ...more, "cache/documents/key.json", "cache/other/x", "cache/bws_cache.json"]) {
			put(join(place.base, name), "approvals: {mode: off}\n");
		}
		put(join(place.base, "cache/documents/.hidden/x"), "x");
		put(join(place.base, "cache/images/.env"), "x");
		const { refused, ...rest } = { refused: [], ...(await place.sync.pull()) };
		expect(rest).toEqual({ is: "back", written: [], beside: [], failed: [] });
		expect([...refused].sort()).toEqual([
			'"cache/documents/.hidden/x": hidden files are not brought back',
			'"cache/images/.env": hidden files are not brought back',
		]);
		expect(contents(place.home)).toEqual(before);
	});

	test("brings skills back only where that was asked for, and never a hidden file", async () => {
		await using place = await openFilled({ skillsComeBack: true });
		put(join(place.base, "skills/a/SKILL.md"), "better");
		put(join(place.base, "skills/.hub/lock.json"), "x");
		expect(await place.sync.pull()).toMatchObject({ written: [join(place.home, "skills/a/SKILL.md")] });
		expect(textOf(join(place.home, "skills/a/SKILL.md"))).toBe("better");
		expect(existsSync(join(place.home, "skills/.hub"))).toBe(false);
	});

	test("keeps both when a file changed here too, or was here and never sent; the same change is none", async () => {
		await using place = await openFilled();
		put(join(place.base, document), "theirs");
		put(join(place.base, "cache/audio/made.mp3"), "theirs");
		put(join(place.base, "cache/audio/same.mp3"), "same");
		put(join(place.base, "cache/documents/key.json"), "theirs");
		put(join(place.home, document), "ours");
		put(join(place.home, "cache/audio/made.mp3"), "ours");
		put(join(place.home, "cache/audio/same.mp3"), "same");
		const back = await place.sync.pull();
		if (back.is !== "back") throw new Error(back.reason);
		const [one = "", two = ""] = [...back.beside].sort();
		expect(one).toMatch(/cache\/audio\/made\.mp3\.remote-[0-9a-f]{8}$/);
		expect(two).toMatch(/cache\/documents\/d\.txt\.remote-[0-9a-f]{8}$/);
		expect([textOf(one), textOf(two)]).toEqual(["theirs", "theirs"]);
		expect([textOf(join(place.home, document)), textOf(join(place.home, "cache/audio/made.mp3"))]).toEqual([
			"ours",
			"ours",
		]);
		expect(readdirSync(join(place.home, "cache/audio"))).toHaveLength(3);
		expect([...place.warnings].sort()).toEqual(
			[one, two].map((path) => `${path}: changed here too, so that of local is kept beside it`),
		);
	});

	test("waits for another process that puts files into place, and only then", async () => {
		await using place = await openFilled();
		put(join(place.base, document), "theirs");
		const lock = await takeFileLock(join(place.home, ".sync.lock"), signal);
		const pulling = place.sync.pull();
		const arrived = () =>
			readdirSync(place.home, { recursive: true, encoding: "utf8" }).some((name) => /^sync-back\/.*\/0$/.test(name));
		while (!arrived()) await Bun.sleep(5);
		await Bun.sleep(100);
		expect(textOf(join(place.home, document))).toBe("d");
		lock[Symbol.dispose]();
		expect(await pulling).toMatchObject({ written: [join(place.home, document)] });
	});

	test("one that was deleted here since is brought back beside its old place only", async () => {
		await using place = await openFilled();
		put(join(place.base, document), "theirs");
		rmSync(join(place.home, document));
		expect(await place.sync.pull()).toMatchObject({ written: [], beside: [expect.stringMatching(/d\.txt\.remote-/)] });
		expect(existsSync(join(place.home, document))).toBe(false);
	});

	test("a file of an earlier run that nobody touched here takes its change", async () => {
		await using place = await openFilled();
		const next = place.again();
		expect(await next.push(signal)).toMatchObject({ sent: [] });
		put(join(place.base, document), "theirs");
		expect(await next.pull()).toMatchObject({ written: [join(place.home, document)] });
		expect(textOf(join(place.home, document))).toBe("theirs");
	});

	test("what a run that was cut off changed there is not overwritten, and comes back with the next", async () => {
		await using place = await openFilled();
		put(join(place.base, document), "theirs");
		const next = place.again();
		expect(await next.push(signal)).toMatchObject({ sent: [] });
		expect(textOf(join(place.base, document))).toBe("theirs");
		expect(await next.pull()).toMatchObject({ written: [join(place.home, document)], beside: [] });
	});

	test("what was there before is somebody else's until it changes", async () => {
		await using place = await openSyncPlace();
		for (const name of ["kept", "changed"]) put(join(place.base, "cache/images", name), "foreign", 60);
		put(join(place.home, document), "d", 60);
		await place.sync.push(signal);
		put(join(place.base, "cache/images/changed"), "new");
		expect(await place.sync.pull()).toMatchObject({ written: [join(place.home, "cache/images/changed")] });
		expect(readdirSync(join(place.home, "cache/images"))).toEqual(["changed"]);
	});

	test("writes through no link and over no folder of this machine", async () => {
		await using place = await openFilled();
		put(join(place.home, "outside/x"), "x");
		mkdirSync(join(place.home, "cache/images"), { recursive: true });
		symlinkSync(join(place.home, "outside"), join(place.home, "cache/images/linked"));
		symlinkSync(join(place.home, "config.yaml"), join(place.home, "cache/images/config.png"));
		mkdirSync(join(place.home, "cache/images/folder.png"));
		for (const name of ["linked/x", "config.png", "folder.png"]) put(join(place.base, "cache/images", name), "evil");
		const before = contents(place.home);
		expect(await place.sync.pull()).toMatchObject({
			written: [],
			refused: expect.arrayContaining([
				'"cache/images/linked/x": its folder is something else here',
				'"cache/images/config.png": something else has its name here',
				'"cache/images/folder.png": something else has its name here',
			]),
		});
		expect(contents(place.home)).toEqual(before);
	});

	test("files without a folder of their own never come back, wherever the cache leads", async () => {
		await using place = await openSyncPlace();
		put(join(place.home, "config.yaml"), "ours");
		put(join(place.home, "real/documents/d.txt"), "d", 60);
		mkdirSync(join(place.home, "cache"));
		// The user's own link; the second one leads to where the policy is.
		symlinkSync(join(place.home, "real/documents"), join(place.home, "cache/documents"));
		symlinkSync(place.home, join(place.home, "cache/images"));
		const trees = ["documents", "images"].map((name) => ({
			from: join(place.home, "cache", name),
			to: `cache/${name}`,
			comesBack: true,
		}));
		const sync = place.again({ sources: () => ({ files: [], trees: trees.slice(0, 1) }) });
		await sync.push(signal);
		put(join(place.base, "cache/documents/new.txt"), "new");
		await sync.pull();
		expect(textOf(join(place.home, "real/documents/new.txt"))).toBe("new");
		const wide = place.again({ sources: () => ({ files: [], trees }) });
		await wide.push(signal);
		put(join(place.base, "cache/images/config.yaml"), "approvals: {mode: off}");
		expect(await wide.pull()).toMatchObject({ refused: ['"cache/images/config.yaml": it belongs to hermes itself'] });
		expect(textOf(join(place.home, "config.yaml"))).toBe("ours");
	});
});

describe("pull() from a hostile sandbox", () => {
	/** A `tar` there that gives whatever is wanted, for a document that really changed. */
	async function openHostile(bytes: Buffer): Promise<SyncPlace> {
		const place = await openFilled();
		put(join(place.base, document), "asked for");
		put(join(place.far, "archive.tar"), bytes);
		place.shadow("tar", 'case $1 in -c*) cat "$HOME/archive.tar";; *) exec /bin/tar "$@";; esac');
		return place;
	}

	const hostile: readonly (readonly [string, Buffer])[] = [
		["an absolute path", archive(file("/etc/hermes-evil", "x"))],
		["a path that goes up", archive(file("cache/documents/../../config.yaml", "x"), file("../config.yaml", "x"))],
		[
			"a path that goes up in a pax record",
			archive(
				header({ name: "p", size: 20, type: "x" }),
				Buffer.from("20 path=config.yaml\n".padEnd(512, "\0")),
				file(document, "x"),
			),
		],
		["a link and a file through it", archive(linkTo("cache/documents", "/"), file("cache/documents/config.yaml", "x"))],
		["a link in the place of the file", archive(linkTo(document, "../../config.yaml"))],
		["a hard link", archive(header({ name: document, type: "1", link: "token.json" }))],
		["a device", archive(header({ name: document, type: "4" }))],
		["files that nobody asked for", archive(file("config.yaml", "x"), file("cache/documents/other.txt", "x"))],
		["a sparse file of 3 GB", archive(header({ name: document, size: 3e9, type: "S" }))],
		["a header that says 3 GB", archive(header({ name: document, size: 3e9 }))],
		["an archive that is cut", file(document, "x".repeat(600)).subarray(0, 700)],
		["no archive at all", Buffer.from("hello".repeat(1000))],
		["nothing", Buffer.alloc(0)],
	];
	test.each(hostile)("%s: nothing changes here (R149)", async (_, bytes) => {
		await using place = await openHostile(bytes);
		const before = contents(place.home);
		const back = await place.sync.pull();
		if (back.is === "back") expect(back).toMatchObject({ written: [], beside: [], failed: [] });
		expect(place.warnings.length).toBeGreaterThan(0);
		expect(contents(place.home)).toEqual(before);
		expect(existsSync("/etc/hermes-evil")).toBe(false);
	});

	test("what was asked for is taken, whatever else comes with it, once", async () => {
		const bytes = archive(
			file("config.yaml", "x"),
			file(document, "honest", { mode: 0o6777 }),
			file(document, "again"),
		);
		await using place = await openHostile(bytes);
		expect(await place.sync.pull()).toMatchObject({
			written: [join(place.home, document)],
			refused: ['"config.yaml": it was not asked for', `"${document}": it comes twice`],
		});
		expect(textOf(join(place.home, document))).toBe("honest");
	});

	test("names that would be options, lines or escapes are never asked for", async () => {
		await using place = await openFilled();
		const names = ["--checkpoint=1", "a\nb", "\u001b[2Jx", "back\\slash", "fine.txt"];
		for (const name of names) put(join(place.base, "cache/documents", name), "x");
		const { written } = { written: [], ...(await place.sync.pull()) };
		expect([...written].sort()).toEqual(
			["--checkpoint=1", "fine.txt"].map((name) => join(place.home, "cache/documents", name)),
		);
	});

	test("more than is taken at once is not even asked for", async () => {
		await using place = await openFilled();
		await runProgram(["truncate", "-s", "3G", "bomb"], {
			cwd: join(place.base, "cache/documents"),
			env: { PATH: "/usr/bin:/bin" },
		});
		place.shadow("tar", 'touch "$HOME/asked"; exec /bin/tar "$@"');
		expect(await place.sync.pull()).toMatchObject({ is: "failed" });
		expect(place.warnings).toEqual([expect.stringContaining("more than is brought back at once")]);
		expect(existsSync(join(place.far, "asked"))).toBe(false);
	});
});

describe("pull() when something fails (R148)", () => {
	test("is tried three times, and says where the files still are", async () => {
		await using place = await openFilled();
		put(join(place.base, document), "changed");
		place.shadow("tar", '[ "$2" = /dev/null ] || echo x >>"$HOME/tries"; [ "$2" = /dev/null ] || exit 2');
		expect(await place.sync.pull()).toMatchObject({ is: "failed" });
		expect(textOf(join(place.far, "tries"))).toBe("x\nx\nx\n");
		expect(place.warnings).toEqual([
			`Cannot bring files back from local: Cannot archive files on local: exit code 2; what is there stays in ${place.base}/cache`,
		]);
		expect(textOf(join(place.home, document))).toBe("d");
	});

	test("a line that is bad once is no failure", async () => {
		await using place = await openFilled();
		put(join(place.base, document), "changed");
		place.shadow(
			"tar",
			'[ "$2" = /dev/null ] || [ -e "$HOME/again" ] || { touch "$HOME/again"; exit 2; }; exec /bin/tar "$@"',
		);
		expect(await place.sync.pull()).toMatchObject({ written: [join(place.home, document)] });
	});

	test("what cannot be put into place is kept, and told", async () => {
		await using place = await openFilled();
		put(join(place.base, "cache/images/new.png"), "png");
		// A file where the folder should be: root can write everywhere else.
		writeFileSync(join(place.home, "cache/images"), "");
		const back = await place.sync.pull();
		expect(back).toMatchObject({
			is: "back",
			written: [],
			failed: [expect.stringContaining('"cache/images/new.png"')],
		});
		const kept = /kept in (\S+)$/.exec(place.warnings[0] ?? "")?.[1] ?? "";
		expect(textOf(join(kept, "0"))).toBe("png");
		put(join(place.home, "sync-back/999999999-dead/0"), "left behind");
		rmSync(join(place.home, "cache/images"));
		expect(await place.again().push(signal)).toMatchObject({ is: "pushed" });
		await place.sync.pull();
		expect(existsSync(join(place.home, "sync-back/999999999-dead"))).toBe(false);
		expect(textOf(join(kept, "0"))).toBe("png");
	});
});
