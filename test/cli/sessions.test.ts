/** hermes sessions: what people and scripts do with the sessions of the past. */

import { Database } from "bun:sqlite";
import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "../../lib/store/database.ts";
import { runInProcess } from "../support/command-line.ts";
import { startOnTerminal } from "../support/run-hermes.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Other tests may keep the machine busy.
setDefaultTimeout(60_000);

const opened: Disposable[] = [];
afterEach(() => {
	for (const one of opened.splice(0).toReversed()) one[Symbol.dispose]();
});

/** A home with two sessions, `s-ship` about a ship and `s-tea` about tea. */
function scene({ empty = false } = {}) {
	const folder = temporaryFolder();
	opened.push(folder);
	const home = folder.path;
	const path = join(home, ".hermes/state.db");
	if (!empty) {
		mkdirSync(join(home, ".hermes"));
		using store = openStore(path);
		const say = (id: string, cwd: string, said: readonly [string, string]) => {
			store.createSession({ id, source: "cli", model: "m", provider: "custom", cwd });
			store.appendMessage(id, { role: "user", content: said[0] });
			store.appendMessage(id, { role: "assistant", content: said[1], toolCalls: [] });
			store.endSession(id, "cli_close");
		};
		say("s-ship", "/desk/sea", ["When does the ship leave?", "The ship leaves at noon"]);
		say("s-tea", "/desk/tea", ["How long does tea <b>draw</b>?", "Tea draws for four minutes, the ship waits"]);
	}
	return { home, path, hermes: (...args: string[]) => runInProcess(["sessions", ...args], home) };
}

const idsOf = (stdout: string) =>
	JSON.parse(stdout).map(({ id, session_id }: Record<string, string>) => id ?? session_id);

describe("hermes sessions", () => {
	test("hermes sessions without sessions says so and makes no files", async () => {
		const { home, hermes } = scene({ empty: true });
		expect(await hermes("list")).toEqual({ stdout: "There are no sessions yet\n", stderr: "", exitCode: 0 });
		expect(await hermes("list", "--json")).toEqual({ stdout: "[]\n", stderr: "", exitCode: 0 });
		expect(await hermes("search", "x")).toEqual({ stdout: "", stderr: "hermes: nothing was found\n", exitCode: 1 });
		expect((await hermes("stats")).stderr).toContain("has none yet");
		expect(existsSync(join(home, ".hermes"))).toBe(false);
	});

	test("hermes sessions list shows the newest first, and everything with --json", async () => {
		const { hermes } = scene();
		const { stdout } = await hermes("list");
		expect(stdout.split("\n").map((line) => line.replace(/ \d{4}-\d\d-\d\d \d\d:\d\d/, ""))).toEqual([
			"s-tea   How long does tea <b>draw</b>?  (cli, 2 messages)",
			"s-ship   When does the ship leave?  (cli, 2 messages)",
			"",
		]);
		const rows = JSON.parse((await hermes("list", "--json", "-n", "1")).stdout);
		expect(rows).toEqual([
			{
				id: "s-tea",
				title: null,
				preview: "How long does tea <b>draw</b>?",
				source: "cli",
				model: "m",
				provider: "custom",
				cwd: "/desk/tea",
				started_at: expect.stringMatching(/^\d{4}-.*Z$/),
				ended_at: expect.stringMatching(/^\d{4}-.*Z$/),
				end_reason: "cli_close",
				interrupted: false,
				archived: false,
				parent_session_id: null,
				message_count: 2,
				tool_call_count: 0,
				api_call_count: 0,
				input_tokens: 0,
				output_tokens: 0,
				cache_read_tokens: 0,
				cache_write_tokens: 0,
				reasoning_tokens: 0,
				cost_usd: rows[0].cost_usd,
			},
		]);
	});

	test("hermes sessions list marks a session whose turn was never answered (R128)", async () => {
		const { path, hermes } = scene();
		{
			using store = openStore(path);
			store.createSession({ id: "s-cut", source: "cli" });
			store.appendMessage("s-cut", { role: "user", content: "and then" });
		}
		expect((await hermes("list", "-n", "1")).stdout).toContain("and then  (cli, 1 messages, interrupted)");
	});

	test("hermes sessions search finds by words, role, folder and time, one hit a conversation", async () => {
		const { hermes } = scene();
		expect((await hermes("search", "ship", "leaves")).stdout).toMatch(
			/^s-ship {2}\d{4}-\d\d-\d\d \d\d:\d\d {2}assistant\n {4}The >>>ship<<< >>>leaves<<< at noon\n$/,
		);
		const found = async (...args: string[]) => idsOf((await hermes("search", "ship", "--json", ...args)).stdout);
		expect((await found()).toSorted()).toEqual(["s-ship", "s-tea"]);
		expect(await found("--all")).toHaveLength(3);
		expect(await found("--role", "user")).toEqual(["s-ship"]);
		expect(await found("--folder", "/desk/tea")).toEqual(["s-tea"]);
		expect(await found("--folder", "/desk/te")).toEqual([]);
		expect(await found("--folder", "/desk", "--sort", "oldest")).toEqual(["s-ship", "s-tea"]);
		expect(await found("--since", "1h", "--source", "cli", "--limit", "1")).toHaveLength(1);
		expect(await found("--until", "2020-01-01")).toEqual([]);
		expect(await hermes("search", "ship", "--since", "soon")).toMatchObject({ exitCode: 2 });
	});

	test("hermes sessions search says when it found only some of the words", async () => {
		const { hermes } = scene();
		expect((await hermes("search", "ship", "elephant")).stderr).toBe(
			"hermes: no message has all of these words; these have some of them\n",
		);
	});

	test("hermes sessions show names a session by id, the beginning of it, or title", async () => {
		const { hermes } = scene();
		await hermes("rename", "s-t", "On", "tea");
		const shown = await hermes("show", "on tea");
		const byTitle = await hermes("show", "On tea");
		expect(shown.exitCode).toBe(1);
		expect(byTitle.stdout).toContain("[4] assistant\nTea draws for four minutes, the ship waits\n");
		const { messages, title } = JSON.parse((await hermes("show", "s-tea", "--json")).stdout);
		expect({ title, messages }).toEqual({
			title: "On tea",
			messages: [
				{ id: 3, timestamp: expect.any(String), role: "user", content: "How long does tea <b>draw</b>?" },
				{
					id: 4,
					timestamp: expect.any(String),
					role: "assistant",
					content: "Tea draws for four minutes, the ship waits",
				},
			],
		});
		expect((await hermes("show", "s-")).stderr).toBe('hermes: Cannot find session "s-": it may be s-tea, s-ship\n');
	});

	test("hermes sessions rename refuses the title of another session", async () => {
		const { hermes } = scene();
		expect((await hermes("rename", "s-tea", "Drinks")).stdout).toBe('Session s-tea is "Drinks"\n');
		expect(await hermes("rename", "s-ship", "Drinks")).toEqual({
			stdout: "",
			stderr: 'hermes: Cannot use the title "Drinks": session "s-tea" has it\n',
			exitCode: 1,
		});
	});

	test("hermes sessions export and import carry sessions to another home, once", async () => {
		const here = scene();
		const there = scene({ empty: true });
		const file = join(here.home, "all.jsonl");
		const exported = await here.hermes("export", "-o", file);
		expect(exported).toEqual({ stdout: "", stderr: `Wrote 2 sessions to ${file}\n`, exitCode: 0 });
		expect(statSync(file).mode & 0o777).toBe(0o600);
		writeFileSync(file, `${readFileSync(file, "utf8")}\nnot a session\n`);
		expect(await there.hermes("import", file)).toEqual({
			stdout: "Imported 2 of 3 sessions; 0 were there already\n",
			stderr: `hermes: Cannot import line 4 of "${file}": it is no exported session\n`,
			exitCode: 1,
		});
		expect(JSON.parse((await there.hermes("import", file, "--json")).stdout)).toEqual({
			imported: 0,
			already_there: 2,
			refused: 1,
		});
		expect(idsOf((await there.hermes("search", "minutes", "--json")).stdout)).toEqual(["s-tea"]);
		expect((await there.hermes("import", "none.jsonl")).stderr).toContain('Cannot import "none.jsonl"');
	});

	test("hermes sessions export writes Markdown and HTML that cannot be mistaken for markup", async () => {
		const { hermes } = scene();
		expect((await hermes("export", "s-ship", "-f", "markdown")).stdout).toMatch(
			/^# Session s-ship\n\n- id: s-ship\n[\s\S]*## User\n\nWhen does the ship leave\?\n\n## Assistant\n\nThe ship leaves at noon\n/,
		);
		const { stdout } = await hermes("export", "-f", "html");
		expect(stdout).toContain('<div class="said">How long does tea &lt;b&gt;draw&lt;/b&gt;?</div>');
		expect([stdout.startsWith("<!doctype html>"), stdout.endsWith("</html>\n")]).toEqual([true, true]);
	});

	test("hermes sessions branch copies a session, as a whole or up to a message", async () => {
		const { path, hermes } = scene();
		await hermes("rename", "s-tea", "Tea");
		const branched = JSON.parse((await hermes("branch", "s-tea", "--through", "3", "--json")).stdout);
		expect(branched).toEqual({ id: expect.any(String), parent_session_id: "s-tea", title: "Tea #2" });
		using store = openStore(path);
		expect(store.listMessages(branched.id).map(({ message }) => message.content)).toEqual([
			"How long does tea <b>draw</b>?",
		]);
	});

	test("hermes sessions branch with a title that is taken leaves no branch", async () => {
		const { hermes } = scene();
		await hermes("rename", "s-tea", "Tea");
		const before = (await hermes("list", "--json")).stdout;
		expect(await hermes("branch", "s-ship", "--title", "Tea")).toMatchObject({ stdout: "", exitCode: 1 });
		expect((await hermes("list", "--json")).stdout).toBe(before);
	});

	test("hermes sessions search refuses a role that nobody has", async () => {
		const { stderr, exitCode } = await scene().hermes("search", "tea", "--role", "usr");
		expect({ stderr, exitCode }).toEqual({
			stderr: 'hermes: Cannot search what "usr" said: --role takes user, assistant, tool\n',
			exitCode: 2,
		});
	});

	test("hermes sessions delete takes a title as it is, not the newest of its line", async () => {
		const { hermes } = scene();
		await hermes("rename", "s-tea", "Tea");
		await hermes("branch", "s-tea");
		expect((await hermes("delete", "Tea", "-y")).stdout).toBe("Deleted s-tea\n");
		expect((await hermes("delete", "Tea", "-y")).exitCode).toBe(1);
		expect((await hermes("list")).stdout).toContain("Tea #2");
	});

	test("hermes sessions delete and prune ask first, and take --yes where nobody can be asked", async () => {
		const { hermes } = scene();
		expect(await hermes("delete", "s-tea")).toEqual({
			stdout: "",
			stderr: "hermes: Cannot delete without asking: say --yes\n",
			exitCode: 1,
		});
		expect((await hermes("delete", "s-tea", "--yes")).stdout).toBe("Deleted s-tea\n");
		expect((await hermes("search", "minutes")).exitCode).toBe(1);
		expect((await hermes("prune", "--older-than", "0", "--dry-run")).stdout).toBe("s-ship\n1 sessions would go\n");
		expect((await hermes("prune")).stdout).toBe("Deleted 0 sessions\n");
		expect((await hermes("prune", "--older-than", "0", "--yes", "--json")).stdout).toBe(
			'{"found":1,"deleted":1,"ids":["s-ship"]}\n',
		);
		expect((await hermes("list")).stdout).toBe("There are no sessions yet\n");
	});

	test("hermes sessions stats counts, and repair makes a damaged index anew (R119)", async () => {
		const { path, hermes } = scene();
		const stats = JSON.parse((await hermes("stats", "--json")).stdout);
		expect(stats).toMatchObject({ sessions: 2, messages: 4, by_source: { cli: 2 }, input_tokens: 0 });
		expect(JSON.parse((await hermes("repair", "--json")).stdout)).toEqual({ found: [], left: [] });
		const database = new Database(path);
		database.run("INSERT INTO messages_fts(messages_fts) VALUES ('delete-all')");
		database.close();
		const repaired = JSON.parse((await hermes("repair", "--json")).stdout);
		expect([repaired.found.length > 0, repaired.left]).toEqual([true, []]);
		expect((await hermes("search", "minutes")).exitCode).toBe(0);
	});

	test("hermes sessions browse searches at the terminal, and leaves on an empty line", async () => {
		const { home } = scene();
		await using hermes = startOnTerminal(["sessions", "browse"], { home });
		await hermes.answer("number, words or nothing> ", "minutes");
		await hermes.answer("  1  s-tea", "elephant");
		await hermes.answer("Nothing was found", "");
		expect(await hermes.exitCode).toBe(0);
	});
});
