/** Two profiles at once: neither ever touches a file, a lock or a key of the other. */

import { expect, setDefaultTimeout, test } from "bun:test";
import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runHermes, startOnTerminal } from "../support/run-hermes.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

setDefaultTimeout(120_000);

/** What a turn does: a command, a process in the background, a file, a script, a note and a task list. */
const calls = [
	{ name: "terminal", arguments: { command: "cd /tmp && export KEPT=1 && env" } },
	{ name: "terminal", arguments: { command: "echo begun; sleep 0.2", background: true, notify_on_complete: true } },
	{ name: "write_file", arguments: { path: "made.txt", content: "one\n" } },
	{ name: "patch", arguments: { path: "made.txt", old_string: "one", new_string: "two" } },
	{ name: "execute_code", arguments: { code: "from hermes_tools import read_file\nprint(read_file('made.txt'))" } },
	{ name: "memory", arguments: { action: "add", target: "user", content: "likes tea" } },
];

interface Scene extends Disposable {
	/** Runs hermes in a profile; what programs of this user may write outside of their home is below the scene's folder too. */
	hermes(profile: string, ...args: string[]): ReturnType<typeof runHermes>;
	start(profile: string, ...args: string[]): ReturnType<typeof startOnTerminal>;
	/** Every file and folder that is there, with what changes when somebody writes to it. */
	snapshot(): Map<string, string>;
	read(path: string): string;
}

function scene(): Scene {
	const folder = temporaryFolder();
	const home = folder.path;
	// From source, the runtime would keep what it has translated.
	const env: Record<string, string> = { BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0" };
	for (const [name, place] of Object.entries({ TMPDIR: "tmp", XDG_RUNTIME_DIR: "run", XDG_CACHE_HOME: "cache" })) {
		env[name] = join(home, place);
		mkdirSync(join(home, place), { mode: 0o700 });
	}
	const project = (profile: string) => {
		mkdirSync(join(home, profile), { recursive: true });
		const tape = [{ text: "", tool_calls: calls }, { text: "Done." }, { text: "Told." }, { text: "More." }];
		writeFileSync(join(home, profile, "tape"), tape.map((line) => JSON.stringify(line)).join("\n"));
		return { home, cwd: join(home, profile), env };
	};
	return {
		hermes: (profile, ...args) => runHermes(["-p", profile, ...args], project(profile)),
		start: (profile, ...args) =>
			startOnTerminal(["-p", profile, ...args], { ...project(profile), env: { ...env, TERM: "dumb" } }),
		snapshot: () => snapshot(home),
		read: (path) => readFileSync(join(home, path), "utf8"),
		[Symbol.dispose]: () => folder[Symbol.dispose](),
	};
}

function snapshot(root: string): Map<string, string> {
	const found = new Map<string, string>();
	const visit = (path: string) => {
		for (const name of readdirSync(join(root, path))) {
			const below = join(path, name);
			const stats = lstatSync(join(root, below));
			// A folder changes with each file in it, and those are seen one by one.
			found.set(below, stats.isDirectory() ? "folder" : `${stats.ino} ${stats.size} ${stats.mtimeMs}`);
			if (stats.isDirectory()) visit(below);
		}
	};
	visit("");
	return found;
}

const conversation = ["--cassette", "tape", "--provider", "cassette", "--yolo"];

test("what one profile does while another is at work changes no file of it, and makes none where both would look", async () => {
	using at = scene();
	for (const name of ["one", "two"]) {
		expect((await at.hermes("default", "profile", "create", name)).exitCode).toBe(0);
		expect((await at.hermes(name, "config", "set", "OPENAI_API_KEY", `key-of-${name}`)).exitCode).toBe(0);
	}
	await using first = at.start("one", "chat", ...conversation);
	first.type("go\r");
	await first.shows("Told.");

	// It keeps every lock that it has, and writes nothing itself.
	process.kill(first.pid, "SIGSTOP");
	const before = at.snapshot();
	expect(await at.hermes("two", "chat", "-q", "go", ...conversation)).toMatchObject({ exitCode: 0 });
	for (const words of [
		"sessions list",
		"ps",
		"checkpoints list",
		"auth list",
		"usage",
		"doctor",
		"logs",
		"tools list",
	]) {
		await at.hermes("two", ...words.split(" "));
	}
	const after = at.snapshot();
	process.kill(first.pid, "SIGCONT");

	const ofTwo = (path: string) => path.startsWith(".hermes/profiles/two") || path.startsWith("two/");
	const touched = [...before]
		.filter(([path, state]) => !ofTwo(path) && after.get(path) !== state)
		.map(([path]) => path);
	expect(touched).toEqual([]);
	const strays = [...after.keys()].filter((path) => !before.has(path) && !ofTwo(path));
	// Folders of one process, under names that nobody else has, are all that may be outside of a profile.
	expect(strays.filter((path) => !/^(?:tmp|run)\/hermes-/.test(path))).toEqual([]);

	first.type("again\r");
	await first.shows("More.");
	first.type("/quit\r");
	expect(await first.exitCode).toBe(0);
	expect(at.read(".hermes/profiles/one/memories/USER.md")).toContain("likes tea");
});

test("a profile has no keys of another one", async () => {
	using at = scene();
	await at.hermes("default", "profile", "create", "one");
	await at.hermes("default", "profile", "create", "two");
	await at.hermes("one", "config", "set", "OPENAI_API_KEY", "sk-of-profile-one-only");
	const keysOf = async (name: string) => {
		const rows: { keys: unknown[] }[] = JSON.parse((await at.hermes(name, "auth", "list", "--json")).stdout);
		return rows.flatMap(({ keys }) => keys);
	};
	expect(await keysOf("one")).not.toEqual([]);
	expect(await keysOf("two")).toEqual([]);
	expect((await at.hermes("two", "config", "get", "OPENAI_API_KEY")).exitCode).not.toBe(0);
	expect((await at.hermes("one", "config", "get", "OPENAI_API_KEY")).exitCode).toBe(0);
});
