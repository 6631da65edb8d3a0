/** hermes replay: what came of a session's calls then, and what comes of them now. */

import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { differences, shownDifference } from "../../lib/cli/replay/compare-results.ts";
import { openStore } from "../../lib/store/database.ts";
import { startOpenAiServer } from "../support/openai-server.ts";
import { runHermes } from "../support/run-hermes.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Each test starts processes, and other tests may keep the machine busy.
setDefaultTimeout(60_000);

const call = (name: string, args: object) => ({ toolCalls: [{ name, arguments: JSON.stringify(args) }] });

/** A session in which a file was read and a command run, in two questions; gives its home and id. */
async function playedSession() {
	const home = temporaryFolder();
	writeFileSync(join(home.path, "note.txt"), "one\ntwo\n");
	await using server = startOpenAiServer([
		call("terminal", { command: "cat note.txt; exit 3" }),
		{ text: "Read." },
		call("read_file", { path: "note.txt" }),
		call("terminal", { command: "echo done" }),
		{ text: "Done." },
	]);
	const args = ["-m", "m", "--base-url", server.url, "--yolo"];
	await runHermes(["chat", "-q", "first", ...args], { home: home.path });
	await runHermes(["chat", "-q", "second", "--continue", ...args], { home: home.path });
	using store = openStore(join(home.path, ".hermes/state.db"));
	return { home, id: store.listSessions()[0]?.id ?? "" };
}

test("hermes replay runs the calls of a session again, and says that all are the same, or where they differ", async () => {
	const { home, id } = await playedSession();
	using _ = home;
	const replay = (...args: string[]) => runHermes(["replay", id, ...args], { home: home.path });
	expect(await replay()).toEqual({
		stdout:
			"= terminal cat note.txt; exit 3\n= read_file note.txt\n= terminal echo done\n3 calls on local: all the same\n",
		stderr: "",
		exitCode: 0,
	});

	writeFileSync(join(home.path, "note.txt"), "one\nthree\n");
	const changed = await replay();
	expect(changed.exitCode).toBe(1);
	expect(changed.stdout).toContain(
		"≠ terminal cat note.txt; exit 3\n    - output line 2: two\n    + output line 2: three\n",
	);
	expect(changed.stdout).toContain("3 calls on local: 2 with another result\n");
	const { calls, same, stopped, differing } = JSON.parse((await replay("--json")).stdout);
	expect({ calls, same, stopped, tools: differing.map(({ tool }: { tool: string }) => tool) }).toEqual({
		calls: 3,
		same: 1,
		stopped: null,
		tools: ["terminal", "read_file"],
	});
	// Nothing of a replay is kept.
	using store = openStore(join(home.path, ".hermes/state.db"));
	expect(store.listSessions()).toHaveLength(1);
});

test("hermes replay plays a cassette to its end, and stops where a result is not as it expects", async () => {
	using home = temporaryFolder();
	const tape = join(home.path, "tape.jsonl");
	const lines = (text: string) =>
		[
			{ text: "", tool_calls: [{ name: "terminal", arguments: { command: "echo hi" } }] },
			{ expect: { contains: text }, text: "Fine." },
			{ text: "And more." },
		].map((line) => JSON.stringify(line));
	writeFileSync(tape, lines("hi").join("\n"));
	expect(await runHermes(["replay", tape], { home: home.path })).toMatchObject({
		stdout: "= terminal echo hi\n1 call on local: all the same\n",
		exitCode: 0,
	});
	writeFileSync(tape, lines("ho").join("\n"));
	const { stdout, exitCode } = await runHermes(["replay", tape], { home: home.path });
	expect({ exitCode, stopped: stdout.includes("Stopped early: Cannot play") }).toEqual({ exitCode: 1, stopped: true });
});

test("hermes replay of what is not there says so", async () => {
	using home = temporaryFolder();
	mkdirSync(join(home.path, ".hermes"));
	openStore(join(home.path, ".hermes/state.db")).close();
	const { stderr, exitCode } = await runHermes(["replay", "nothing"], { home: home.path });
	expect({ exitCode, said: stderr.includes('Cannot find session "nothing"') }).toEqual({ exitCode: 1, said: true });
});

test("differences() leaves out what is another one every time, and what the user said meanwhile", () => {
	const steering = "\n\n<user_steering>\nhurry\n</user_steering>";
	expect(
		differences(`{"output":"a","pid":1,"ran_on":"local"}${steering}`, '{"output":"a","pid":2,"ran_on":"docker:1"}'),
	).toEqual([]);
	const [found] = differences('{"output":"a\\nb"}', '{"output":"a"}');
	expect(found && shownDifference(found)).toEqual(["- output line 2: b", "+ output line 2: (nothing)"]);
	expect(differences("plain", "other")).toEqual([{ field: "", recorded: "plain", now: "other" }]);
});
