/** Sub-agents as users have them: from a question in a process of its own, with real tools, to what hermes agents shows. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openRecords, recordFolder } from "../../lib/agent/delegate/records.ts";
import { runInProcess } from "../support/command-line.ts";
import { startOpenAiServer } from "../support/openai-server.ts";
import { runHermes, startHermes } from "../support/run-hermes.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Several processes each, beside those of other tests.
setDefaultTimeout(60_000);

type TapedTurn = Readonly<Record<string, unknown>>;
type Home = ReturnType<typeof temporaryFolder>;

const cassette = ["--cassette", "tape", "--provider", "cassette"];

/** A home with a tape in it, and with settings. */
function homeWith(turns: readonly TapedTurn[], settings = "") {
	const home = temporaryFolder();
	writeFileSync(join(home.path, "tape"), turns.map((turn) => JSON.stringify(turn)).join("\n"));
	mkdirSync(join(home.path, ".hermes"), { mode: 0o700 });
	writeFileSync(join(home.path, ".hermes/config.yaml"), `terminal:\n  cwd: ${home.path}\n${settings}`, { mode: 0o600 });
	return home;
}

/** Asks once, inside this process. */
function ask({ path }: Home, ...flags: readonly string[]) {
	const tape = ["--cassette", join(path, "tape"), "--provider", "cassette"];
	return runInProcess(["chat", "-q", "go", ...tape, ...flags], path, { HERMES_HOME: join(path, ".hermes") });
}

/** A turn with calls, each as its name and arguments. */
function calls(...list: readonly (readonly [string, object])[]): TapedTurn {
	return { tool_calls: list.map(([name, args]) => ({ name, arguments: args })) };
}

const handOut = (...goals: readonly string[]): TapedTurn =>
	calls(["delegate_task", { tasks: goals.map((goal) => ({ goal })) }]);

function recordsOf(home: Home) {
	return openRecords(recordFolder(join(home.path, ".hermes")));
}

/** The events of a run, in order. */
function eventsIn(stdout: string): readonly Record<string, unknown>[] {
	return stdout
		.trim()
		.split("\n")
		.map((line) => JSON.parse(line));
}

/** A question whose child has begun to sleep; disposing of it ends it. */
async function startSleeper(more: readonly string[] = []) {
	// A number that no other process of this machine sleeps.
	const [sleep, server] = [`sleep ${30_000 + Math.random() * 1_000}`, `sleep ${31_000 + Math.random() * 1_000}`];
	const home = homeWith([
		handOut("sleep long", "be quick"),
		{ text: "They work." },
		{ for: "sleep long", ...calls(["write_file", { path: "notes.md", content: "half\n" }]), text: "First the notes." },
		{ for: "sleep long", ...calls(["terminal", { command: server, background: true }]) },
		{ for: "sleep long", ...calls(["terminal", { command: `${sleep}; echo never` }]) },
		{ for: "be quick", text: "I was quick." },
		{ text: "I have heard of it." },
	]);
	const running = startHermes(["chat", "-q", "go", ...cassette, ...more], { home: home.path });
	let early: Awaited<typeof running.ended> | undefined;
	void running.ended.then((ran) => {
		early = ran;
	});
	const isUnderWay = () => {
		const [long, quick] = recordsOf(home).list()[0]?.children ?? [];
		return long?.tool_calls === 3 && quick?.status === "completed";
	};
	while (!isUnderWay() || processesWith(sleep).length === 0) {
		if (early !== undefined) throw new Error(`hermes ended early: ${JSON.stringify(early)}`);
		await Bun.sleep(50);
	}
	return {
		home,
		running,
		/** What its child ran is gone a moment after it was ended, and with `servers` what that left in the background. */
		async untilGone(servers: "servers too" | "but servers") {
			const left = () => [sleep, ...(servers === "servers too" ? [server] : [])].flatMap(processesWith);
			for (let tries = 0; left().length > 0 && tries < 100; tries++) await Bun.sleep(50);
			expect(left()).toEqual([]);
		},
		async [Symbol.asyncDispose]() {
			running.kill("SIGKILL");
			await running.ended;
			home[Symbol.dispose]();
		},
	};
}

/** Processes of this machine whose command line holds `text`. */
function processesWith(text: string): readonly number[] {
	const list = Bun.spawnSync(["ps", "-eo", "pid=,args="]).stdout.toString();
	return list
		.split("\n")
		.filter((line) => line.includes(text) && !line.includes("ps -eo"))
		.map((line) => Number.parseInt(line, 10));
}

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

describe("sub-agents that work", () => {
	test("are listed, and another hermes cancels them: finished reports stay, files and words of the others too", async () => {
		await using scene = await startSleeper(["-Q"]);
		const { home, running } = scene;
		const options = { home: home.path };
		const [listed] = JSON.parse((await runHermes(["agents", "--json"], options)).stdout);
		expect(listed).toMatchObject({
			status: "running",
			children: [
				{ goal: "sleep long", status: "running", partial: "First the notes.", tool_calls: 3 },
				{ goal: "be quick", status: "completed", summary: "I was quick." },
			],
		});
		const id = String(listed.delegation_id);
		expect((await runHermes(["agents"], options)).stdout).toMatch(
			/^deleg_\w+ {2}running .*sleep long .* in terminal\)/s,
		);
		expect(await runHermes(["agents", "cancel", id.slice(0, 10)], options)).toMatchObject({
			exitCode: 0,
			stdout: `${id} cancelled\n`,
		});
		expect(await running.ended).toMatchObject({ exitCode: 0, stdout: "I have heard of it.\n" });
		await scene.untilGone("servers too");
		const { stdout } = await runHermes(["agents", "status", id], options);
		expect(stdout).toContain("said until then: First the notes.");
		expect(stdout).toContain(`files: ${join(home.path, "notes.md")}`);
		expect(stdout).toContain("I was quick.");
		expect(await runHermes(["agents", "cancel", id], options)).toMatchObject({
			exitCode: 1,
			stderr: `hermes: Cannot cancel ${id}: it does not run any more (cancelled)\n`,
		});
	});

	test("end with Ctrl-C, and what was finished stands in the record", async () => {
		await using scene = await startSleeper();
		const { home, running } = scene;
		await running.shows("They work.");
		running.kill("SIGINT");
		expect(await running.ended).toMatchObject({ exitCode: 130 });
		await scene.untilGone("servers too");
		expect(recordsOf(home).list()).toMatchObject([
			{ status: "cancelled", children: [{ partial: "First the notes." }, { summary: "I was quick." }] },
		]);
	});

	test("killed with their parent leave no process and a record, and the session that goes on is told", async () => {
		await using scene = await startSleeper();
		const { home, running } = scene;
		const options = { home: home.path };
		running.kill("SIGKILL");
		await running.ended;
		await scene.untilGone("but servers");
		const [record] = recordsOf(home).list();
		expect(record).toMatchObject({
			status: "lost",
			children: [
				{ status: "lost", partial: "First the notes.", error: expect.stringContaining("hermes died") },
				{ status: "completed", summary: "I was quick." },
			],
		});
		expect((await runHermes(["agents"], options)).stdout).toMatch(/^deleg_\w+ {2}lost /);
		const again = [{ text: "Hello again." }, { text: "So it is lost." }];
		writeFileSync(join(home.path, "tape"), again.map((turn) => JSON.stringify(turn)).join("\n"));
		const resumed = ["chat", "-q", "hello", "--resume", record?.conversation_id ?? ""];
		const ran = await runHermes([...resumed, ...cassette], options);
		expect(ran.stdout).toBe("Hello again.\nSo it is lost.\n");
		expect(recordsOf(home).list()).toMatchObject([{ status: "lost", told: true }]);
		// Nobody would ever look after what the child has left in the background.
		await scene.untilGone("servers too");
		expect((await runHermes(["ps"], options)).stdout).toBe("Nothing runs in the background\n");
	});
});

test("hermes agents says when nobody has worked, and what it does not know", async () => {
	using home = temporaryFolder();
	const options = { home: home.path };
	expect(await runHermes(["agents"], options)).toMatchObject({
		stdout: "No sub-agents have worked yet\n",
		exitCode: 0,
	});
	expect(await runHermes(["agents", "status", "deleg_1"], options)).toMatchObject({ exitCode: 1 });
	expect(await runHermes(["agents", "status"], options)).toMatchObject({ exitCode: 2 });
	expect(await runHermes(["agents", "start"], options)).toMatchObject({ exitCode: 2 });
});
