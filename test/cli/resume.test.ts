/** A session that is gone on with: by a flag, in the chat, after a crash. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Message } from "../../lib/base/conversation.ts";
import { openStore } from "../../lib/store/database.ts";
import { type ScriptedAnswer, startOpenAiServer } from "../support/openai-server.ts";
import { until } from "../support/process-scene.ts";
import { runHermes, startHermes, startOnTerminal } from "../support/run-hermes.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Each test starts processes, and other tests may keep the machine busy.
setDefaultTimeout(60_000);

const call = (name: string, args: object): ScriptedAnswer => ({
	toolCalls: [{ name, arguments: JSON.stringify(args) }],
});
const todos = [{ id: "a", content: "find the leak", status: "in_progress" }];

/** A home with its store. */
function homeWithStore() {
	const home = temporaryFolder();
	mkdirSync(join(home.path, ".hermes"));
	const open = () => openStore(join(home.path, ".hermes/state.db"));
	return { home: home.path, open, [Symbol.dispose]: () => home[Symbol.dispose]() };
}

/** Runs hermes against a server that gives `answers`; gives what the server was asked. */
async function ask(home: string, answers: readonly ScriptedAnswer[], args: readonly string[]) {
	await using server = startOpenAiServer(answers);
	const ran = await runHermes(["chat", "-m", "m", "--base-url", server.url, ...args], { home });
	const said = server.requests.map(({ body }) => body.messages.map(({ role, content }) => [role, content]));
	return { ...ran, said, prompts: server.requests.map(({ body }) => body.messages[0]?.content) };
}

// One after the other: each starts several processes, and side by side all of them would take as long as the slowest.
describe("hermes chat --resume and --continue", () => {
	test("--continue goes on with what was said, the same prompt and the plan", async () => {
		using at = homeWithStore();
		const first = await ask(at.home, [call("todo", { todos }), { text: "planned" }], ["-q", "find it"]);
		const second = await ask(at.home, [call("todo", {}), { text: "on it" }], ["-c", "-q", "go on"]);
		expect(second.stdout).toBe("on it\n");
		expect(second.prompts[0]).toBe(first.prompts[0]);
		expect(second.said[0]?.slice(1).map(([role]) => role)).toEqual(["user", "assistant", "tool", "assistant", "user"]);
		expect(JSON.parse(String(second.said[1]?.at(-1)?.[1])).todos).toEqual(todos);
		using store = at.open();
		const sessions = store.listSessions();
		expect(sessions.map(({ messageCount, endReason }) => [messageCount, endReason])).toEqual([[8, "cli_close"]]);
	});

	test("a session that another hermes has open is refused, and free again when that has ended or was killed", async () => {
		using at = homeWithStore();
		await using server = startOpenAiServer([{ text: "first" }, { fault: "never" }, { text: "second" }]);
		const flags = ["-m", "m", "--base-url", server.url];
		const options = { home: at.home };
		await runHermes(["chat", "-q", "one", ...flags], options);
		const holder = startHermes(["chat", "-c", "-q", "two", ...flags], options);
		while (server.requests.length < 2) await Bun.sleep(20);
		const refused = await runHermes(["chat", "-c", "-q", "three", ...flags], options);
		expect(refused).toMatchObject({
			exitCode: 1,
			stderr: expect.stringContaining(`process ${holder.pid} has it open; hermes sessions branch`),
		});
		holder.kill("SIGKILL");
		await holder.ended;
		expect(await runHermes(["chat", "-c", "-q", "four", ...flags], options)).toMatchObject({
			exitCode: 0,
			stdout: "second\n",
		});
	});

	test("--continue goes on in the folder that the model was told last, and where it began when that is gone", async () => {
		using at = homeWithStore();
		const go = call("terminal", { command: "mkdir -p inner && cd inner" });
		await ask(at.home, [go, { text: "there" }], ["-q", "go in"]);
		const look = call("terminal", { command: "pwd" });
		const outputOf = async () => {
			const { said } = await ask(at.home, [look, { text: "seen" }], ["-c", "-q", "where?"]);
			return JSON.parse(String(said[1]?.at(-1)?.[1])).output;
		};
		expect(await outputOf()).toBe(join(realpathSync(at.home), "inner"));
		rmSync(join(at.home, "inner"), { recursive: true });
		expect(await outputOf()).toBe(realpathSync(at.home));
	});

	test("--resume takes an id, the beginning of one, or a title; an unknown one is one line and asks nothing", async () => {
		using at = homeWithStore();
		{
			using store = at.open();
			for (const id of ["20260101_a", "20260202_b"]) {
				store.createSession({ id, source: "cli" });
				store.appendMessage(id, { role: "user", content: `in ${id}` });
			}
			store.setTitle("20260101_a", "The first");
		}
		for (const name of ["20260101_a", "202601", "The first"]) {
			const { said } = await ask(at.home, [{ text: "ok" }], ["--resume", name, "-q", "more"]);
			expect(said[0]?.[1]).toEqual(["user", expect.stringContaining("in 20260101_a")]);
		}
		expect(await ask(at.home, [{ text: "ok" }], ["-r", "nope", "-q", "more"])).toMatchObject({ said: [], exitCode: 1 });
		expect((await ask(at.home, [{ text: "ok" }], ["-r", "2026", "-q", "more"])).stderr).toContain(
			"it may be 20260202_b, 20260101_a",
		);
	});

	test("--continue without any session says so", async () => {
		using at = homeWithStore();
		const { stderr, exitCode, said } = await ask(at.home, [{ text: "ok" }], ["-c", "-q", "more"]);
		expect({ stderr, exitCode, said }).toEqual({
			stderr: "hermes: Cannot go on with the latest session: there is none yet\n",
			exitCode: 1,
			said: [],
		});
	});

	test("a session that was killed during its third call has the results before it, and an answer for the open call (R121)", async () => {
		using at = homeWithStore();
		await using server = startOpenAiServer([
			call("terminal", { command: "echo one" }),
			call("terminal", { command: "echo two" }),
			call("terminal", { command: "echo begun; sleep 60" }),
		]);
		const args = ["chat", "-q", "count", "-m", "m", "--base-url", server.url, "--yolo"];
		const hermes = startHermes(args, { home: at.home });
		await hermes.shows("begun");
		hermes.kill("SIGKILL");
		await hermes.ended;
		const { said } = await ask(at.home, [{ text: "ok" }], ["-c", "-q", "and?"]);
		const results = said[0]?.filter(([role]) => role === "tool").map(([, content]) => String(content));
		expect(results).toEqual([
			expect.stringContaining('"output":"one'),
			expect.stringContaining('"output":"two'),
			expect.stringContaining("No result: hermes ended while this call ran"),
		]);
		using store = at.open();
		const stored = store.listMessages(store.listSessions()[0]?.id ?? "").map(({ message }) => message.role);
		expect(stored.filter((role) => role === "tool")).toHaveLength(3);
	});

	test("the continuation of a compressed session is what is gone on with (R125)", async () => {
		using at = homeWithStore();
		{
			using store = at.open();
			store.createSession({ id: "whole", source: "cli" });
			store.appendMessage("whole", { role: "user", content: "long story" });
			const summary: Message = { role: "user", content: "summary of it", origin: "summary" };
			store.continueSession("whole", { id: "rest", source: "cli" }, [summary]);
		}
		const { said } = await ask(at.home, [{ text: "ok" }], ["--resume", "whole", "-q", "more"]);
		expect(said[0]?.[1]?.[1]).toContain("summary of it");
	});
});

describe("sessions in the chat", () => {
	test("/title, /branch, /rewind, /resume and /sessions name, copy, take back and change sessions", async () => {
		using at = homeWithStore();
		await using server = startOpenAiServer(
			[{ text: "One." }, { text: "Two." }, { text: "Three." }],
			"Counting Up Slowly",
		);
		await using hermes = startOnTerminal(["-m", "m", "--base-url", server.url], { home: at.home });
		await hermes.answer("> ", "/rewind");
		await hermes.answer("Cannot take back: this session has 0 questions", "/title Mine");
		await hermes.answer("Title Mine", "first");
		await hermes.answer("One.", "/branch");
		await hermes.answer("goes back", "second");
		await hermes.answer("Two.", "/rewind");
		await hermes.answer("Taken back, with all that followed: second", "/sessions");
		await hermes.answer("Mine #2  (cli, 2 messages)", "third");
		await hermes.answer("Three.", "/resume 20");
		await hermes.answer("it may be", "/quit");
		expect(await hermes.exitCode).toBe(0);
		expect(server.requests.map(({ body }) => body.messages.slice(1).map(({ content }) => content))).toEqual([
			["first"],
			["first", "One.", "second"],
			["first", "One.", "third"],
		]);
		// It had a title already.
		expect(server.titled).toEqual([]);
		using store = at.open();
		expect(
			store.listSessions().map(({ title, messageCount, rewindCount }) => [title, messageCount, rewindCount]),
		).toEqual([
			["Mine #2", 4, 1],
			["Mine", 2, 0],
		]);
	});

	test("a chat is named after its first exchange", async () => {
		using at = homeWithStore();
		await using server = startOpenAiServer([{ text: "One." }], '"Counting Up Slowly."');
		await using hermes = startOnTerminal(["-m", "m", "--base-url", server.url], { home: at.home });
		await hermes.answer("> ", "count");
		using store = at.open();
		// The end of a run waits for a name only for a moment.
		await until(() => store.listSessions()[0]?.title ?? undefined);
		await hermes.answer("One.", "/quit");
		expect(await hermes.exitCode).toBe(0);
		expect(store.listSessions().map(({ title }) => title)).toEqual(["Counting Up Slowly"]);
		expect(server.titled.map(({ body }) => body.messages[1]?.content)).toEqual(["User: count\n\nAssistant: One."]);
	});

	test("after memory.nudge_interval turns notes are reviewed beside the chat, by memory alone, and nothing of it is kept", async () => {
		using at = homeWithStore();
		writeFileSync(join(at.home, ".hermes/config.yaml"), "memory:\n  nudge_interval: 2\n");
		await using server = startOpenAiServer([
			{ text: "One." },
			{ text: "Two." },
			{
				toolCalls: [
					{ name: "terminal", arguments: '{"command":"touch made"}' },
					{ name: "memory", arguments: '{"action":"add","target":"user","content":"likes tabs"}' },
				],
			},
			{ text: "done" },
		]);
		await using hermes = startOnTerminal(["-m", "m", "--base-url", server.url, "--yolo"], { home: at.home });
		await hermes.answer("> ", "I like tabs");
		await hermes.answer("One.", "really");
		await hermes.answer("Noted for later sessions: 1 added", "/quit");
		expect(await hermes.exitCode).toBe(0);
		const review = server.requests[2]?.body;
		// The cache of the provider serves it: the same prompt, tools and messages before the question.
		expect(review?.messages.slice(0, 4)).toEqual([...(server.requests[1]?.body.messages ?? [])]);
		expect(review?.tools).toEqual(server.requests[1]?.body.tools ?? []);
		expect(JSON.stringify(server.requests[3]?.body.messages)).toContain("in a review only memory works");
		expect(await Bun.file(join(at.home, ".hermes/memories/USER.md")).text()).toBe("likes tabs\n");
		expect(await Bun.file(join(at.home, "made")).exists()).toBe(false);
		using store = at.open();
		expect(store.listSessions().map(({ messageCount }) => messageCount)).toEqual([4]);
	});
});
