/** What background processes tell becomes a turn: in one question, in the line chat, and in the chat after it. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openCheckpoint } from "../../lib/processes/checkpoint.ts";
import { runHermes, startHermes, startOnTerminal } from "../support/run-hermes.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

setDefaultTimeout(60_000);

/** A home with a cassette in it that first makes `calls` of the terminal tool, then says `texts` one after the other. */
function homeWithTape(calls: readonly object[], texts: readonly string[]) {
	const home = temporaryFolder();
	const first = {
		text: "",
		tool_calls: calls.map((call) => ({ name: "terminal", arguments: { background: true, ...call } })),
	};
	const lines = [first, ...texts.map((text) => ({ text }))];
	writeFileSync(join(home.path, "tape"), lines.map((line) => JSON.stringify(line)).join("\n"));
	return home;
}

const cassette = ["--cassette", "tape", "--provider", "cassette", "--yolo"];

/** Ends what a test left running, and removes what is left of it. */
async function endAll(home: string): Promise<void> {
	for (const { pid, folder } of openCheckpoint(join(home, ".hermes/processes.json")).read()) {
		process.kill(-pid, "SIGKILL");
		while (!existsSync(join(folder, "exit"))) await Bun.sleep(20);
		rmSync(folder, { recursive: true });
	}
}

describe("one question", () => {
	test("stays until what was promised is told, each end in a turn of its own; what runs on is named (R056)", async () => {
		using home = homeWithTape(
			[
				{ command: "sleep 0.3; echo built; exit 4", notify_on_complete: true },
				{ command: "sleep 0.9; echo tested", notify_on_complete: true },
				{ command: "sleep 300" },
			],
			["They run.", "The build failed.", "The tests passed."],
		);
		const options = { home: home.path };
		const ran = await runHermes(["chat", "-q", "go", "--output", "stream-json", ...cassette], options);
		const events = ran.stdout
			.trim()
			.split("\n")
			.map((line) => JSON.parse(line));
		const order = events.flatMap(({ type, text, ended }) => {
			if (type === "assistant_message" && text !== "") return [text];
			return type === "turn_finished" ? [ended] : [];
		});
		expect(order).toEqual(["They run.", "answered", "The build failed.", "answered", "The tests passed.", "answered"]);
		expect(ran).toMatchObject({
			exitCode: 0,
			stderr: expect.stringMatching(/still running in the background.*\n {2}proc_\w+ sleep 300\n/),
		});
		const { stdout } = await runHermes(["ps", "--json"], options);
		expect(JSON.parse(stdout)).toMatchObject([
			{ command: "sleep 300", status: "running", ran_on: "local", attached: false },
		]);
		await endAll(home.path);
	});

	test("leaves at once with --no-wait, and says what runs on", async () => {
		using home = homeWithTape([{ command: "sleep 30; echo never", notify_on_complete: true }], ["It runs."]);
		const ran = await runHermes(["-z", "go", "--no-wait", ...cassette], { home: home.path });
		expect(ran).toMatchObject({
			exitCode: 0,
			stdout: "It runs.\n",
			stderr: expect.stringContaining("sleep 30; echo never"),
		});
		await endAll(home.path);
	});

	test("does not wait for input that stays open when the question is an argument (R044)", async () => {
		using home = homeWithTape([], ["Answered."]);
		writeFileSync(join(home.path, "tape"), JSON.stringify({ text: "Answered." }));
		const running = startHermes(["chat", "-Q", "-q", "hi", ...cassette], { home: home.path, stdin: "open" });
		expect(await running.ended).toMatchObject({ exitCode: 0, stdout: "Answered.\n" });
	});

	test("ends with Ctrl-C while it waits, and the process runs on", async () => {
		using home = homeWithTape([{ command: "sleep 300", notify_on_complete: true }], ["It runs."]);
		const running = startHermes(["chat", "-q", "go", ...cassette], { home: home.path });
		await running.shows("It runs.");
		await Bun.sleep(200);
		running.kill("SIGINT");
		expect(await running.ended).toMatchObject({ exitCode: 130 });
		const { stdout } = await runHermes(["ps"], { home: home.path });
		expect(stdout).toMatch(/^proc_\w+ {2}running .*sleep 300\n$/);
		await endAll(home.path);
	});
});

describe("the line chat", () => {
	test("hears of an end at its prompt, and the next chat looks after what runs on", async () => {
		using home = homeWithTape(
			[{ command: "sleep 1; echo over", notify_on_complete: true }, { command: "sleep 300" }],
			["Started.", "I heard that it is over."],
		);
		const options = { home: home.path };
		{
			await using chat = startOnTerminal(["chat", ...cassette], options);
			await chat.answer("> ", "go");
			await chat.shows("Started.");
			await chat.shows("completed normally");
			await chat.shows("I heard that it is over.");
			await chat.answer("> ", "/quit");
			await chat.shows("Still running in the background");
			expect(await chat.exitCode).toBe(0);
		}
		await using next = startOnTerminal(["chat", ...cassette], options);
		await next.shows("In the background since an earlier run");
		await next.shows("sleep 300");
		await next.answer("> ", "/quit");
		expect(await next.exitCode).toBe(0);
		await endAll(home.path);
	});
});

test("tools call process looks after what an earlier tools call has started, and forgets no end unseen", async () => {
	using home = temporaryFolder();
	const options = { home: home.path };
	const call = async (name: string, args: object) => {
		const { stdout } = await runHermes(["tools", "call", name, JSON.stringify(args), "--yolo"], options);
		return JSON.parse(stdout);
	};
	const start = (command: string) => call("terminal", { command, background: true });
	const [{ session_id: ended }, { session_id: server }] = [await start("echo built; exit 4"), await start("sleep 300")];
	const seen = async () => (await call("process", { action: "list" })).processes;
	const processes = [
		{ session_id: ended, status: "exited", exit_code: 4, output_preview: "built" },
		{ session_id: server, status: "running" },
	];
	expect([await seen(), await seen()]).toMatchObject([processes, processes]);
	expect(await call("process", { action: "log", session_id: ended })).toMatchObject({ output: "built" });
	expect(await call("process", { action: "kill", session_id: server })).toMatchObject({ status: "killed" });
	expect(await seen()).toEqual([]);
});

test("hermes ps --kill ends what no hermes looks after, and nothing else", async () => {
	using home = homeWithTape([{ command: "sleep 300" }], ["It runs."]);
	const options = { home: home.path };
	const idOf = async () => JSON.parse((await runHermes(["ps", "--json"], options)).stdout)[0];
	let id = "";
	{
		await using chat = startOnTerminal(["chat", ...cassette], options);
		await chat.answer("> ", "go");
		await chat.shows("It runs.");
		({ id } = await idOf());
		const refused = await runHermes(["ps", "--kill", id], options);
		expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining("looks after it; ask it there")]);
		await chat.answer("> ", "/quit");
		expect(await chat.exitCode).toBe(0);
	}
	expect(await idOf()).toMatchObject({ id, status: "running", attached: false });
	const ended = await runHermes(["ps", "--kill", id.slice(0, 10)], options);
	expect(ended).toMatchObject({ stdout: `${id} is ended\n`, exitCode: 0 });
	expect(await idOf()).toBeUndefined();
	const again = await runHermes(["ps", "--kill", id], options);
	expect([again.exitCode, again.stderr]).toEqual([
		1,
		`hermes: Cannot end "${id}": there is no such process; hermes ps shows them\n`,
	]);
});

test("hermes ps says when nothing runs", async () => {
	using home = temporaryFolder();
	expect(await runHermes(["ps"], { home: home.path })).toMatchObject({
		stdout: "Nothing runs in the background\n",
		exitCode: 0,
	});
	expect(await runHermes(["ps", "--json"], { home: home.path })).toMatchObject({ stdout: "[]\n", exitCode: 0 });
});
