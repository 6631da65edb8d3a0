/** Two sub-agents that change the same file: of a conversation as users have it, with real tools. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runHermes } from "../support/run-hermes.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// A conversation is several processes and many requests, and other tests may keep the machine busy.
setDefaultTimeout(60_000);

type Call = readonly [name: string, args: Readonly<Record<string, unknown>>];
interface Said {
	readonly role: string;
	readonly content: unknown;
}

/** Answers whoever asks by what they were told first: with the n-th of their calls, and with words when there are no more. */
function startModel(scripts: Readonly<Record<string, readonly (Call | (() => Promise<Call>))[]>>) {
	const answers: { readonly who: string; readonly answer: Record<string, unknown> }[] = [];
	const told: string[] = [];
	let delegation = "";
	const server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		idleTimeout: 0,
		async fetch(request) {
			const { messages } = (await request.json()) as { readonly messages: readonly Said[] };
			const who = String(messages.find(({ role }) => role === "user")?.content);
			const last = messages.at(-1);
			delegation = /deleg_[0-9a-f]{8}/.exec(JSON.stringify(messages))?.[0] ?? delegation;
			if (last?.role === "tool") answers.push({ who, answer: JSON.parse(String(last.content)) });
			if (last?.role === "user") told.push(String(last.content));
			const turn = messages.filter(({ role }) => role === "assistant").length;
			const step = scripts[who]?.[turn];
			const call = typeof step === "function" ? await step() : step;
			const [name, args] = call ?? ["", {}];
			const sent = JSON.stringify({
				...args,
				...(name === "delegate_task" && delegation && { delegation_id: delegation }),
			});
			const toolCalls = [{ id: crypto.randomUUID(), type: "function", function: { name, arguments: sent } }];
			const message = name === "" ? { content: `${who} is done` } : { content: "", tool_calls: toolCalls };
			return Response.json({
				id: "1",
				object: "chat.completion",
				choices: [
					{ index: 0, finish_reason: name === "" ? "stop" : "tool_calls", message: { role: "assistant", ...message } },
				],
			});
		},
	});
	return {
		url: `http://127.0.0.1:${server.port}/v1`,
		/** Answers of tools, in the order in which they were sent. */
		of: (who: string) => answers.filter((one) => one.who === who).map(({ answer }) => answer),
		told,
		[Symbol.asyncDispose]: () => server.stop(true),
	};
}

const tasks = [{ goal: "one" }, { goal: "two" }];
const list = "1\n2\n3\n";

function openProject() {
	const home = temporaryFolder();
	const cwd = join(home.path, "project");
	const git = (...args: string[]) => {
		const env = { PATH: process.env.PATH ?? "", HOME: home.path };
		const person = ["-c", "user.name=a", "-c", "user.email=a@b"];
		return Bun.spawnSync(["git", ...person, ...args], { cwd, env }).stdout.toString();
	};
	Bun.spawnSync(["mkdir", cwd]);
	Bun.write(join(cwd, "list.txt"), list);
	git("init", "-q", "-b", "main");
	git("add", "-A");
	git("commit", "-q", "-m", "first");
	const env = { OPENAI_API_KEY: "test", GIT_CONFIG_NOSYSTEM: "1" };
	const hermes = (...args: string[]) => runHermes(args, { home: home.path, cwd, env });
	const ask = (url: string) => hermes("-q", "begin", "--base-url", url, "--model", "m", "--yolo");
	return {
		cwd,
		git,
		ask,
		hermes,
		text: () => readFileSync(join(cwd, "list.txt"), "utf8"),
		[Symbol.dispose]: () => home[Symbol.dispose](),
	};
}

describe.concurrent("two children that change one file", () => {
	test("of their parent's: the one that comes later is refused until it has read the file again, and nothing is lost", async () => {
		using project = openProject();
		const both = Promise.withResolvers<void>();
		const written = Promise.withResolvers<void>();
		let readers = 0;
		const whenBothHaveRead = async () => {
			if (++readers === 2) both.resolve();
			await both.promise;
		};
		const replace = (from: string, to: string): Call => [
			"patch",
			{ path: "list.txt", old_string: from, new_string: to },
		];
		await using model = startModel({
			begin: [["delegate_task", { tasks }]],
			one: [
				["read_file", { path: "list.txt" }],
				async () => {
					await whenBothHaveRead();
					return replace("1", "one");
				},
				async () => {
					written.resolve();
					return ["terminal", { command: "true" }];
				},
			],
			two: [
				["read_file", { path: "list.txt" }],
				async () => {
					await whenBothHaveRead();
					await written.promise;
					return ["write_file", { path: "list.txt", content: "1\n2\nthree\n" }];
				},
				["read_file", { path: "list.txt" }],
				replace("3", "three"),
			],
		});
		const ran = await project.ask(model.url);
		expect(ran.exitCode).toBe(0);
		expect(model.of("one")[1]).toMatchObject({ success: true });
		const [, refused, , patched] = model.of("two");
		expect(String(refused?.error)).toMatch(/agent \S+ changed it at .*read it again/);
		expect(patched).toMatchObject({ success: true });
		expect(project.text()).toBe("one\n2\nthree\n");
	});

	test("in worktrees: both succeed, one is merged, the conflict of the other is reported, and the parent's file stays whole", async () => {
		using project = openProject();
		const edit = (text: string): Call => ["write_file", { path: "list.txt", content: text }];
		await using model = startModel({
			begin: [
				["delegate_task", { tasks, isolation: "worktree" }],
				["", {}],
				["delegate_task", { action: "merge", task_index: 0 }],
				["delegate_task", { action: "merge", task_index: 1 }],
				["delegate_task", { action: "discard", task_index: 1 }],
				["delegate_task", { action: "merge", task_index: 1 }],
			],
			one: [edit("one\n2\n3\n"), edit("one\n2\n3\n4\n")],
			two: [edit("two\n2\n3\n"), ["write_file", { path: join(project.cwd, "list.txt"), content: "stolen" }]],
		});
		const ran = await project.ask(model.url);
		expect(ran.exitCode).toBe(0);
		expect(model.of("two")[1]?.error).toMatch(/the file that you may change is .*\.hermes-worktrees/);
		const report = model.told.find((text) => text.includes("has ended")) ?? "";
		expect(report).toContain("1 file changed, 2 insertions(+), 1 deletion(-)");
		const [, merged, conflict, discarded, again] = model.of("begin");
		expect(merged).toMatchObject({ status: "merged", files: ["list.txt"] });
		expect(String(conflict?.error)).toContain("Conflicts in: list.txt: both have changed the same lines");
		expect(discarded).toMatchObject({ status: "discarded" });
		expect(String(again?.error)).toContain("discarded already");
		expect(project.text()).toBe("one\n2\n3\n4\n");
		expect(project.git("status", "--short")).toBe(" M list.txt\n");
		expect(project.git("branch")).toBe("* main\n");
	});

	test("in worktrees that the agent leaves alone: hermes agents lists, merges and discards them afterwards", async () => {
		using project = openProject();
		await using model = startModel({
			begin: [["delegate_task", { tasks, isolation: "worktree" }]],
			one: [["write_file", { path: "list.txt", content: "one\n2\n3\n" }]],
			two: [["write_file", { path: "list.txt", content: "two\n2\n3\n" }]],
		});
		await project.ask(model.url);
		const { stdout } = await project.hermes("agents");
		expect(stdout.match(/has changes of its own/g)?.length).toBe(2);
		const id = /deleg_\w+/.exec(stdout)?.[0] ?? "";
		expect(await project.hermes("agents", "merge", id)).toMatchObject({
			exitCode: 1,
			stderr: expect.stringContaining("several tasks have changes (0, 1); name one with --task"),
		});
		expect(await project.hermes("agents", "merge", id, "--task", "0")).toEqual({
			exitCode: 0,
			stdout: "merged\n  list.txt\n",
			stderr: "",
		});
		const conflict = await project.hermes("agents", "merge", id, "--task", "1");
		expect([conflict.exitCode, conflict.stderr]).toEqual([1, expect.stringContaining("list.txt: both have changed")]);
		expect((await project.hermes("agents", "discard", id)).stdout).toBe("discarded\n");
		expect((await project.hermes("agents")).stdout).not.toContain("has changes");
		expect([project.text(), project.git("branch")]).toEqual(["one\n2\n3\n", "* main\n"]);
	});
});
