/** Sub-agents as users have them: from one question with real tools to what comes of it. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readTape } from "../../lib/cli/conversation/conversation-options.ts";
import { openConversation } from "../../lib/cli/runtime/open-conversation.ts";
import { openSettings } from "../../lib/cli/runtime/settings.ts";
import { cliInProcess, runInProcess } from "../support/command-line.ts";
import { startOpenAiServer } from "../support/openai-server.ts";
import { runHermes } from "../support/run-hermes.ts";
import { ask, calls, eventsIn, handOut, homeWith, processesWith, recordsOf } from "../support/taped-agents.ts";
import { writePlugin } from "../support/user-plugin.ts";

// Shells and plug-ins are processes, and other tests may keep the machine busy.
setDefaultTimeout(60_000);

describe.concurrent("one question", () => {
	test("waits for its children, and their reports come as a turn of their own behind the answer", async () => {
		using home = homeWith([
			handOut("write a", "write b"),
			{ text: "They work.", expect: { tool: "delegate_task", contains: "dispatched", error: false } },
			{ for: "write a", ...calls(["write_file", { path: "a.txt", content: "A\n" }]) },
			{ for: "write a", text: "a.txt is written.", expect: { tool: "write_file", error: false } },
			{ for: "write b", ...calls(["terminal", { command: "echo B > b.txt" }]) },
			{ for: "write b", text: "b.txt is written.", expect: { tool: "terminal", exit_code: 0 } },
			{ text: "Both are there." },
		]);
		const ran = await ask(home, "--output", "stream-json");
		expect(ran.exitCode).toBe(0);
		const events = eventsIn(ran.stdout);
		const said = events.flatMap(({ type, text, ended }) => {
			if (type === "assistant_message" && text !== "") return [text];
			return type === "turn_finished" ? [ended] : [];
		});
		expect(said).toEqual(["They work.", "answered", "Both are there.", "answered"]);
		expect(["a.txt", "b.txt"].map((name) => readFileSync(join(home.path, name), "utf8"))).toEqual(["A\n", "B\n"]);
		const ends = events.filter(({ type, event }) => type === "subagent" && event === "finished");
		expect(ends.toSorted((one, other) => Number(one.task_index) - Number(other.task_index))).toMatchObject([
			{ goal: "write a", status: "completed", depth: 1, task_count: 2, model_calls: 2, tool_calls: 1 },
			{ goal: "write b", status: "completed" },
		]);
		const sessionId = String(events[0]?.session_id);
		const variables = { HERMES_HOME: join(home.path, ".hermes") };
		const { stdout } = await runInProcess(["sessions", "show", sessionId, "--json", "--full"], home.path, variables);
		const { messages } = JSON.parse(stdout);
		expect(messages.map(({ role }: { role: string }) => role)).toEqual([
			...["user", "assistant", "tool", "assistant"],
			...["user", "assistant"],
		]);
		expect(messages[4].content).toMatch(
			/^\[IMPORTANT: Delegation deleg_\w+ has ended \(2 completed; .*a\.txt is written\./s,
		);
		// Children have sessions of their own, and are no conversations of the user.
		const listed = JSON.parse((await runInProcess(["sessions", "list", "--json"], home.path, variables)).stdout);
		expect(listed.map(({ id }: { id: string }) => id)).toEqual([sessionId]);
	});

	test("no child has one of the six tools, though its parent has them and gives it hermes-cli", async () => {
		const six = ["delegate_task", "clarify", "memory", "send_message", "execute_code", "cronjob"];
		const refused = six.map((tool) => ({
			tool,
			error: true,
			matches: "is not enabled in this session|no tool has that name",
		}));
		using home = homeWith([
			calls(["delegate_task", { goal: "try them", toolsets: ["hermes-cli"], role: "orchestrator" }]),
			{ text: "It works." },
			{ for: "try them", ...calls(...six.map((name) => [name, {}] as const)) },
			{ for: "try them", expect: refused, ...calls(["terminal", { command: "echo mine" }]) },
			{ for: "try them", expect: { tool: "terminal", contains: "mine" }, text: "I have a terminal." },
			{ text: "Good." },
		]);
		const ran = await ask(home, "--output", "stream-json");
		const [started] = eventsIn(ran.stdout);
		expect(started?.tools).toEqual(expect.arrayContaining(["delegate_task", "clarify", "memory", "execute_code"]));
		const [record] = recordsOf(home).list();
		expect(record?.children).toMatchObject([{ role: "leaf", status: "completed", summary: "I have a terminal." }]);
	});

	test("what needs consent is denied to children, whatever holds for their parent, until the settings say otherwise", async () => {
		const tape = [
			handOut("remove it"),
			{ text: "It works." },
			{ for: "remove it", ...calls(["terminal", { command: "rm -rf data" }]) },
			{ for: "remove it", text: "I tried." },
			{ text: "Good." },
		];
		const childOf = async (settings: string, flags: readonly string[] = []) => {
			using home = homeWith(tape, settings);
			mkdirSync(join(home.path, "data"));
			await ask(home, ...flags);
			const [record] = recordsOf(home).list();
			return [record?.children[0]?.denied_calls, existsSync(join(home.path, "data"))];
		};
		expect(
			await Promise.all([
				childOf("approvals:\n  headless: approve\n"),
				childOf("approvals:\n  mode: smart\n"),
				childOf("delegation:\n  subagent_auto_approve: true\n"),
				childOf("", ["--yolo"]),
			]),
		).toEqual([
			[1, true],
			[1, true],
			[undefined, false],
			[undefined, false],
		]);
	});

	test("hermes agents status says what was denied to a child, and which toolsets it did not get", async () => {
		using home = homeWith([
			calls(["delegate_task", { goal: "remove it", toolsets: ["terminal", "termnal"] }]),
			{ text: "It works." },
			{ for: "remove it", ...calls(["terminal", { command: "rm -rf data" }]) },
			{ for: "remove it", text: "I tried." },
			{ text: "Good." },
		]);
		await ask(home, "-Q");
		const id = recordsOf(home).list()[0]?.id ?? "";
		const { stdout } = await runInProcess(["agents", "status", id], home.path, {
			HERMES_HOME: join(home.path, ".hermes"),
		});
		expect(stdout).toContain("calls without consent, which were denied: 1\n");
		expect(stdout).toMatch(/it did not get: termnal: .*did you mean "terminal"\?/);
	});

	test("takes 32 tasks and no more, says which one has no goal, and reads tasks that were sent as text", async () => {
		const many = (count: number) => Array.from({ length: count }, (_, index) => ({ goal: `task ${index}` }));
		using home = homeWith(
			[
				calls(
					["delegate_task", { tasks: many(33) }],
					["delegate_task", { tasks: [{ goal: "fine" }, { context: "no goal" }] }],
					["delegate_task", {}],
					["delegate_task", { goal: "x", isolation: "vm" }],
					["delegate_task", { tasks: JSON.stringify(many(32)) }],
				),
				{
					text: "Begun.",
					expect: [
						{ error: true, contains: "Cannot hand out 33 tasks at once: 32 at most" },
						{ error: true, contains: "Task 1 is missing a 'goal'" },
						{ error: true, contains: "give a goal, or tasks with a goal each" },
						{ error: true, contains: 'isolation is one of shared, worktree, sandbox, not "vm"' },
						{ error: false, contains: "dispatched" },
					],
				},
				...many(32).map(({ goal }) => ({ for: goal, text: `done: ${goal}` })),
				{ text: "All of them." },
			],
			"delegation:\n  max_concurrent_children: 16\n",
		);
		const ran = await ask(home, "-Q");
		expect(ran).toMatchObject({ exitCode: 0, stdout: "All of them.\n" });
		const [record, ...others] = recordsOf(home).list();
		expect(others).toEqual([]);
		expect(record?.children.map(({ status }) => status)).toEqual(Array(32).fill("completed"));
	});

	test("an orchestrator waits for its own children and gets their results in its own turn", async () => {
		using home = homeWith(
			[
				calls(["delegate_task", { goal: "lead", role: "orchestrator" }]),
				{ text: "It works." },
				{ for: "lead", ...calls(["delegate_task", { tasks: [{ goal: "one" }, { goal: "two" }] }]) },
				{ for: "one", ...calls(["terminal", { command: "echo 1 > one.txt" }]) },
				{ for: "one", text: "one.txt is there." },
				{ for: "two", text: "two has nothing to do." },
				{
					for: "lead",
					text: "Both are done.",
					expect: { tool: "delegate_task", error: false, contains: "one.txt is there." },
				},
				{ text: "Good." },
			],
			"delegation:\n  max_spawn_depth: 2\n",
		);
		const ran = await ask(home, "-Q");
		expect(ran).toMatchObject({ exitCode: 0, stdout: "Good.\n" });
		expect(recordsOf(home).list()).toMatchObject([
			{ depth: 2, is_background: false, children: [{ goal: "one" }, { goal: "two" }] },
			{ depth: 1, is_background: true, children: [{ goal: "lead", summary: "Both are done." }] },
		]);
	});

	test("children ask the model that delegation.* names, with the key that is named for it", async () => {
		await using server = startOpenAiServer([{ text: "From another model." }]);
		using home = homeWith(
			[handOut("ask elsewhere"), { text: "It works." }, { text: "Good." }],
			`delegation:\n  base_url: ${server.url}\n  model: small\n  api_key: sk-of-the-children\n`,
		);
		const ran = await ask(home, "-Q");
		expect(ran).toMatchObject({ exitCode: 0, stdout: "Good.\n" });
		const [record] = recordsOf(home).list();
		expect(record?.children).toMatchObject([{ model: "small", summary: "From another model." }]);
		const [request] = server.requests;
		expect([request?.body.model, request?.authorization]).toEqual(["small", "Bearer sk-of-the-children"]);
	});

	test("hands out nothing while the user has paused that", async () => {
		using home = homeWith([
			handOut("wait"),
			{ text: "I do it myself.", expect: { tool: "delegate_task", error: true, contains: "the user has paused that" } },
		]);
		const agents = (verb: string) =>
			runInProcess(["agents", verb], home.path, { HERMES_HOME: join(home.path, ".hermes") });
		expect(await agents("pause")).toMatchObject({ exitCode: 0 });
		expect(await ask(home, "-Q")).toMatchObject({ exitCode: 0, stdout: "I do it myself.\n" });
		expect(await agents("resume")).toMatchObject({ stdout: "Tasks may be handed out again\n" });
		expect(recordsOf(home).isPaused).toBe(false);
	});

	test("tells plug-ins when a child begins and ends", async () => {
		using home = homeWith(
			[handOut("be seen"), { text: "It works." }, { for: "be seen", text: "I was." }, { text: "Good." }],
			"plugins:\n  enabled: [watcher]\n",
		);
		const log = join(home.path, "log");
		const write = `(payload) => require("node:fs").appendFileSync(${JSON.stringify(log)}, JSON.stringify(payload) + "\\n")`;
		writePlugin(join(home.path, ".hermes"), "watcher", {
			manifest: { description: "Watches", hooks: ["subagent_start", "subagent_stop"] },
			module: `export default { hooks: { subagent_start: ${write}, subagent_stop: ${write} } };`,
		});
		expect(await ask(home, "-Q")).toMatchObject({ exitCode: 0 });
		expect(eventsIn(readFileSync(log, "utf8"))).toMatchObject([
			{ goal: "be seen", delegation_id: expect.stringMatching(/^deleg_/) },
			{ goal: "be seen", status: "completed", summary: "I was.", child_session_id: expect.any(String) },
		]);
	});

	test("that does not wait says which children end with it, and their record says so too", async () => {
		using home = homeWith([
			handOut("sleep long"),
			{ text: "It works." },
			{ for: "sleep long", ...calls(["terminal", { command: "sleep 300" }]) },
		]);
		const ran = await ask(home, "-Q", "--no-wait");
		expect(ran).toMatchObject({
			exitCode: 0,
			stdout: "It works.\n",
			stderr: expect.stringMatching(/sub-agents that end now .*\n {2}deleg_\w+ \(1 running\)\n/),
		});
		expect(recordsOf(home).list()).toMatchObject([{ status: "cancelled", children: [{ goal: "sleep long" }] }]);
	});

	test("what a child leaves running ends with it", async () => {
		const sleep = `sleep ${30_000 + Math.random() * 1_000}`;
		using home = homeWith([
			handOut("serve"),
			{ text: "It works." },
			{ for: "serve", ...calls(["terminal", { command: sleep, background: true }]) },
			{ for: "serve", text: "It is served.", expect: { tool: "terminal", error: false } },
			{ text: "Good." },
		]);
		expect(await ask(home, "-Q")).toMatchObject({
			exitCode: 0,
		});
		expect(processesWith(sleep)).toEqual([]);
		expect((await runHermes(["ps"], { home: home.path })).stdout).toBe("Nothing runs in the background\n");
	});
});

test("hermes sessions delete takes along what is kept of the session's sub-agents, and nothing of others", async () => {
	const tape = [
		handOut("secret plan"),
		{ text: "It works." },
		{ for: "secret plan", text: "Done." },
		{ text: "Good." },
	];
	using home = homeWith(tape);
	await ask(home, "-Q");
	await ask(home, "-Q");
	const [other, record] = recordsOf(home).list();
	const variables = { HERMES_HOME: join(home.path, ".hermes") };
	const ran = await runInProcess(["sessions", "delete", record?.session_id ?? "", "--yes"], home.path, variables);
	expect(ran).toMatchObject({ exitCode: 0 });
	expect(
		recordsOf(home)
			.list()
			.map(({ id }) => id),
	).toEqual([String(other?.id)]);
	expect(await runInProcess(["sessions", "prune", "--older-than", "0", "--yes"], home.path, variables)).toMatchObject({
		exitCode: 0,
	});
	expect(recordsOf(home).list()).toEqual([]);
});

test("a report that comes after /new says that it belongs to the conversation before, which is told nothing twice", async () => {
	using home = homeWith([handOut("be late"), { text: "It works." }, { for: "be late", text: "Here I am." }]);
	const { cli } = cliInProcess(home.path, { HERMES_HOME: join(home.path, ".hermes") });
	const tape = readTape(join(home.path, "tape"));
	const config = await openSettings(cli, { provider: "cassette" });
	await using conversation = await openConversation(cli, { config, tape, approval: "deny", keep: true, emit() {} });
	const { signal } = new AbortController();
	await conversation.runTurn("go", signal);
	const before = conversation.sessionId;
	conversation.startNew();
	await conversation.news.wait(signal);
	expect(conversation.news.take()).toMatch(
		new RegExp(`^\\[The following belongs to an earlier conversation .*\\(session ${before}\\).*Here I am\\.`, "s"),
	);
	expect([conversation.news.take(), conversation.news.isExpected]).toEqual([undefined, false]);
	conversation.resume({ named: before });
	expect(conversation.news.take()).toBeUndefined();
});
