import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import type { AgentOptions } from "../../lib/agent/agent.ts";
import { systemClock } from "../../lib/agent/clock.ts";
import { historyProblems } from "../../lib/agent/history.ts";
import { createRandom } from "../../lib/base/random.ts";
import type { ModelClient } from "../../lib/providers/provider.ts";
import { callOf, scriptedAgent, stepUsage } from "../support/scripted-model.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { openToolSession, type ToolSession } from "../support/tool-session.ts";

setDefaultTimeout(120_000);

/** In the arguments of every process that the commands start. */
const mark = `7${Date.now() % 1_000_000}`;

let folder: ReturnType<typeof temporaryFolder>;
let session: ToolSession;
beforeAll(async () => {
	folder = temporaryFolder();
	session = await openToolSession(folder.path);
});
afterAll(async () => {
	await session[Symbol.asyncDispose]();
	folder[Symbol.dispose]();
});

/** Answers slowly, piece by piece: two commands at a time, then a file, then words. */
function slowModel(): ModelClient {
	const sleep = (seconds: string) => `(sleep ${seconds}.${mark} & wait)`;
	const answers = [
		[
			callOf("terminal", { command: `echo one; ${sleep("0")}; echo two` }, "a"),
			callOf("terminal", { command: `setsid sleep 30.${mark} & ${sleep("0")}; kill $!` }, "b"),
		],
		[
			callOf("write_file", { path: "one.txt", content: "1" }, "c"),
			callOf("write_file", { path: "two.txt", content: "2" }, "d"),
			callOf("terminal", { command: `cat one.txt two.txt; ${sleep("30")}` }, "e"),
		],
	];
	return {
		async *complete({ messages }, signal) {
			const turn = messages.slice(messages.findLastIndex(({ role }) => role === "user"));
			const isShort = turn[0]?.content === "Be done";
			const toolCalls = isShort ? [] : (answers[turn.filter(({ role }) => role === "assistant").length] ?? []);
			for (const text of ["I ", "am ", "at ", "it."]) {
				await systemClock.sleep(8, signal);
				yield { type: "text", text };
			}
			yield {
				type: "finished",
				usage: stepUsage,
				message: { role: "assistant", content: "I am at it.", toolCalls },
			};
		},
	};
}

const traitsOf: AgentOptions["traitsOf"] = ({ name, arguments: text }) =>
	name === "write_file" ? { isConfined: true, changes: [`/${JSON.parse(text).path}`] } : {};

function processesLeft(): string[] {
	return readdirSync("/proc")
		.filter((name) => /^\d+$/.test(name))
		.map((pid) => {
			try {
				return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
			} catch {
				return "";
			}
		})
		.filter((line) => line.startsWith("sleep") && line.includes(mark));
}

test("runTurn() interrupted at 50 points ends soon, leaves nothing behind, and the conversation goes on", async () => {
	const random = createRandom(20);
	const { execute } = session.context;
	let late = 0;
	const { agent, events } = scriptedAgent({
		client: slowModel(),
		clock: systemClock,
		tools: [],
		traitsOf,
		async runTool({ name, arguments: text }, { signal, onOutput }) {
			const { command, path, content } = JSON.parse(text);
			const line = name === "terminal" ? command : `printf %s ${content} > ${path}`;
			const { output, exitCode } = await execute(line, { signal, onOutput, timeoutSeconds: 60 });
			return { answer: JSON.stringify({ output, exit_code: exitCode }), isError: false, denied: false, durationMs: 1 };
		},
	});
	for (let point = 0; point < 50; point++) {
		const controller = new AbortController();
		const running = agent.runTurn(`Turn ${point}`, controller.signal);
		await Bun.sleep(random() * 220);
		const aborted = performance.now();
		controller.abort(new Error("enough"));
		const finished = await running;
		if (performance.now() - aborted > 5_000) late++;
		expect(finished.ended).toBe("interrupted");
		expect(historyProblems(agent.messages)).toEqual([]);
		const before = events.length;
		await Bun.sleep(5);
		expect(events.slice(before)).toEqual([]);
	}
	const deadline = Date.now() + 60_000;
	while (processesLeft().length > 0 && Date.now() < deadline) await Bun.sleep(20);
	expect(processesLeft()).toEqual([]);
	// A busy machine may be slow once; a loop that waits for what it abandoned waits 30 s each time.
	expect(late).toBeLessThan(5);
	expect(await agent.runTurn("Be done", new AbortController().signal)).toMatchObject({
		ended: "answered",
		text: "I am at it.",
	});
	expect((await execute("echo still here")).output).toBe("still here\n");
});
