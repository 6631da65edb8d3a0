/** hermes backup, hermes import, and profiles as files: what comes back is what went in, and a stranger's file does no harm. */

import { expect, setDefaultTimeout, test } from "bun:test";
import {
	existsSync,
	lstatSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { createGzip, gzipSync } from "node:zlib";
import { type Header, pack } from "tar-stream";
import { runCommandLine } from "../../lib/cli/command-line/run-command-line.ts";
import { unpackInto } from "../../lib/store/archive/unpack.ts";
import { openStore } from "../../lib/store/database.ts";
import { cliInProcess, runInProcess } from "../support/command-line.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Other tests may keep the machine busy.
setDefaultTimeout(60_000);

/** What a test says of an entry. */
type EntryHeader = Partial<Header> & Pick<Header, "name">;

/** A home with settings, keys, a session, a note, and what no archive takes along. */
async function furnished() {
	const folder = temporaryFolder();
	const home = folder.path;
	const root = join(home, ".hermes");
	const hermes = (...args: string[]) => runInProcess(args, home);
	await hermes("config", "set", "model.default", "base");
	for (const name of ["memories", "logs", "cache", "profiles/work"]) mkdirSync(join(root, name), { recursive: true });
	writeFileSync(join(root, ".env"), "OPENAI_API_KEY=of-mine\n", { mode: 0o600 });
	writeFileSync(join(root, "memories/USER.md"), "likes tea\n");
	writeFileSync(join(root, "logs/agent.log"), "line\n");
	writeFileSync(join(root, "profiles", "work", "config.yaml"), "model: {default: own}\n");
	symlinkSync("/etc/passwd", join(root, "memories/out"));
	return { home, root, hermes, archive: join(home, "out.tar.gz"), [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

test("hermes backup and hermes import bring everything back, with sessions that were open and all profiles", async () => {
	using at = await furnished();
	using store = openStore(join(at.root, "state.db"));
	store.createSession({ id: "s", source: "cli" });
	store.appendMessage("s", { role: "user", content: "still in the write-ahead log" });
	const wrote = await at.hermes("backup", "-o", at.archive);
	expect(wrote.exitCode).toBe(0);
	expect(wrote.stderr).toBe("hermes: left out memories/out: it is a link or no plain file\n");
	expect(statSync(at.archive).mode & 0o777).toBe(0o600);

	using other = temporaryFolder();
	const there = (...args: string[]) => runInProcess(args, other.path);
	expect((await there("import", at.archive)).exitCode).toBe(0);
	expect((await there("config", "get", "model.default")).stdout).toBe("base\n");
	expect((await there("-p", "work", "config", "get", "model.default")).stdout).toBe("own\n");
	expect((await there("sessions", "show", "s")).stdout).toContain("still in the write-ahead log");
	const root = join(other.path, ".hermes");
	expect(readFileSync(join(root, ".env"), "utf8")).toBe("OPENAI_API_KEY=of-mine\n");
	expect(statSync(join(root, ".env")).mode & 0o777).toBe(0o600);
	expect([existsSync(join(root, "logs")), existsSync(join(root, "cache"))]).toEqual([false, false]);
});

test("hermes import asks before it replaces anything, keeps what was there, and refuses while a hermes is at work", async () => {
	using at = await furnished();
	await at.hermes("backup", "-o", at.archive);
	await at.hermes("config", "set", "model.default", "later");
	expect((await at.hermes("import", at.archive)).stderr).toContain("say --yes");
	{
		using store = openStore(join(at.root, "state.db"));
		store.createSession({ id: "s", source: "cli" });
		if (process.platform === "linux") {
			expect((await at.hermes("import", at.archive, "--yes")).stderr).toContain("a hermes is at work in it");
		}
	}
	expect((await at.hermes("import", at.archive, "--yes")).exitCode).toBe(0);
	expect((await at.hermes("config", "get", "model.default")).stdout).toBe("base\n");
	const kept = readdirSync(at.home).find((name) => name.startsWith(".hermes.before-import-")) ?? "";
	expect(readFileSync(join(at.home, kept, "config.yaml"), "utf8")).toContain("later");
});

test("a profile without files, and the one that is usual, are there again after hermes import", async () => {
	using at = await furnished();
	await at.hermes("profile", "create", "bare");
	await at.hermes("profile", "use", "bare");
	await at.hermes("backup", "-o", at.archive);
	using other = temporaryFolder();
	await runInProcess(["import", at.archive], other.path);
	const { stdout, exitCode } = await runInProcess(["profile", "list"], other.path);
	expect([stdout.includes("* bare"), exitCode]).toEqual([true, 0]);
});

test("hermes import into a home that is a link replaces what it leads to, and keeps that there", async () => {
	using at = await furnished();
	await at.hermes("backup", "-o", at.archive);
	using other = temporaryFolder();
	const disk = join(other.path, "disk");
	mkdirSync(join(disk, "home"), { recursive: true, mode: 0o700 });
	writeFileSync(join(disk, "home/old"), "");
	symlinkSync(join(disk, "home"), join(other.path, ".hermes"));
	const { exitCode } = await runInProcess(["import", "--yes", at.archive], other.path);
	expect(exitCode).toBe(0);
	expect(readdirSync(join(disk, "home")).sort()).toEqual([".env", "config.yaml", "memories", "profiles"]);
	expect(lstatSync(join(other.path, ".hermes")).isSymbolicLink()).toBeTrue();
	expect(readdirSync(disk).filter((name) => name.startsWith("home.before-import-"))).toHaveLength(1);
});

test.each([
	["a folder", (home: string) => home, "is a folder"],
	["not there", (home: string) => join(home, "nothing"), "no such file"],
])("hermes import says that its file is %s", async (_, file, reason) => {
	using folder = temporaryFolder();
	const { stderr, exitCode } = await runInProcess(["import", file(folder.path)], folder.path);
	expect([exitCode, stderr.toLowerCase()]).toEqual([1, expect.stringContaining(reason)]);
});

test.each(["home", "profile"])("an import of a %s that is stopped leaves everything as it was", async (kind) => {
	using at = await furnished();
	const made = kind === "home" ? ["backup"] : ["profile", "export", "work"];
	await at.hermes(...made, "-o", at.archive);
	const before = [readdirSync(at.home).sort(), readdirSync(at.root, { recursive: true }).sort()];
	const { cli, stderr } = cliInProcess(at.home);
	const stopped = { ...cli.interruption, signal: AbortSignal.abort(new Error("stopped")) };
	const words =
		kind === "home" ? ["import", "--yes", at.archive] : ["profile", "import", at.archive, "--name", "other"];
	expect(await runCommandLine(words, { ...cli, interruption: stopped })).not.toBe(0);
	expect(stderr.text()).toContain("stopped");
	expect([readdirSync(at.home).sort(), readdirSync(at.root, { recursive: true }).sort()]).toEqual(before);
});

test("a profile goes out without keys unless they are asked for, and comes back under any free name", async () => {
	using at = await furnished();
	await at.hermes("profile", "create", "job", "--clone");
	await at.hermes("profile", "export", "job", "-o", at.archive);
	expect((await at.hermes("profile", "import", at.archive)).stderr).toContain("it is there already");
	const brought = await at.hermes("profile", "import", at.archive, "--name", "copy");
	expect(brought.stdout).toContain("It has no keys yet");
	const home = join(at.root, "profiles/copy");
	expect(readFileSync(join(home, "memories/USER.md"), "utf8")).toBe("likes tea\n");
	expect(existsSync(join(home, ".env"))).toBe(false);
	await at.hermes("profile", "export", "job", "-o", at.archive, "--with-secrets");
	await at.hermes("profile", "import", at.archive, "--name", "keyed");
	expect(existsSync(join(at.root, "profiles/keyed/.env"))).toBe(true);
	expect((await at.hermes("import", at.archive, "--yes")).stderr).toContain("see hermes profile import");
});

const manifest = JSON.stringify({ kind: "profile", version: 1, name: "bad", made: "2026-01-01", secrets: false });

/** A gzipped tar of these entries behind a manifest. */
async function archiveOf(path: string, entries: readonly (EntryHeader & { readonly text?: string })[]): Promise<void> {
	const tar = pack();
	const bytes: Buffer[] = [];
	const zip = createGzip();
	zip.on("data", (chunk: Buffer) => bytes.push(chunk));
	tar.pipe(zip);
	tar.entry({ name: "hermes-archive.json" }, manifest);
	for (const { text = "", ...header } of entries) tar.entry(header, text);
	tar.finalize();
	await finished(zip);
	writeFileSync(path, Buffer.concat(bytes));
}

test.each<[string, EntryHeader & { text?: string }, string]>([
	["a path above its folder", { name: "../out", text: "x" }, "leads out"],
	["a path above it in the middle", { name: "a/../../out", text: "x" }, "leads out"],
	["an absolute path", { name: "/tmp/out", text: "x" }, "leads out"],
	["a drive", { name: "C:/out", text: "x" }, "leads out"],
	["a backslash", { name: "..\\out", text: "x" }, "leads out"],
	["a symbolic link", { name: "l", type: "symlink", linkname: "/etc" }, "neither a file nor a folder"],
	["a hard link", { name: "l", type: "link", linkname: "/etc/passwd" }, "neither a file nor a folder"],
	["a device", { name: "d", type: "character-device" }, "neither a file nor a folder"],
	["a pipe", { name: "p", type: "fifo" }, "neither a file nor a folder"],
])("an archive with %s is refused, and nothing of it stays", async (_, entry, reason) => {
	using at = await furnished();
	await archiveOf(at.archive, [{ name: "config.yaml", text: "a: 1\n" }, entry]);
	const answer = await at.hermes("profile", "import", at.archive);
	expect(answer.stderr).toContain(reason);
	expect(answer.exitCode).toBe(1);
	expect(readdirSync(join(at.root, "profiles"))).toEqual(["work"]);
	expect(existsSync("/tmp/out")).toBe(false);
});

test("an archive beyond the limits is refused before it fills the disk", async () => {
	using at = await furnished();
	using folder = temporaryFolder();
	await archiveOf(at.archive, [
		{ name: "big", text: "x".repeat(5000) },
		{ name: "more", text: "x" },
	]);
	const { signal } = new AbortController();
	await expect(unpackInto(folder.path, at.archive, { signal, limits: { bytes: 4999, files: 9 } })).rejects.toThrow(
		"it is too large",
	);
	expect(readdirSync(folder.path)).toEqual([]);
	await expect(unpackInto(folder.path, at.archive, { signal, limits: { bytes: 9999, files: 1 } })).rejects.toThrow(
		"it is too large",
	);
});

test.each<[string, (path: string) => void]>([
	["no gzip", (path) => writeFileSync(path, "hello")],
	["no tar", (path) => writeFileSync(path, gzipSync("hello".repeat(1000)))],
	["an empty file", (path) => writeFileSync(path, "")],
])("%s is no archive of hermes", async (_, write) => {
	using at = await furnished();
	write(at.archive);
	const answer = await at.hermes("profile", "import", at.archive);
	expect(answer.stderr).toMatch(/broken or no archive of hermes|it is empty|no archive of hermes/);
	expect(answer.exitCode).toBe(1);
});

test("a cut archive is refused, and what is in HERMES_HOME stays", async () => {
	using at = await furnished();
	writeFileSync(join(at.root, "memories/noise"), crypto.getRandomValues(new Uint8Array(60_000)));
	await at.hermes("backup", "-o", at.archive);
	writeFileSync(at.archive, readFileSync(at.archive).subarray(0, 40_000));
	const answer = await at.hermes("import", at.archive, "--yes");
	expect(answer.exitCode).toBe(1);
	expect((await at.hermes("config", "get", "model.default")).stdout).toBe("base\n");
	expect(readdirSync(at.home).sort()).toEqual([".hermes", "out.tar.gz"]);
});
