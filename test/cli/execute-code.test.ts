/** Scripts in a conversation: asked about once, their calls asked about as always, their output shown as it comes. */

import { expect, test } from "bun:test";
import { startOpenAiServer } from "../support/openai-server.ts";
import { runHermes, startOnTerminal } from "../support/run-hermes.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const script = (code: string) => ({ toolCalls: [{ name: "execute_code", arguments: JSON.stringify({ code }) }] });
const limitMs = 60_000;

test(
	"the user is asked about the first script of a session, with its code in view, and about what its calls want",
	async () => {
		using home = temporaryFolder();
		await using server = startOpenAiServer([
			script("from hermes_tools import terminal\nprint('sees', terminal('sh -c ls')['status'])"),
			script("print('second', 1 + 1)"),
			{ text: "Done." },
		]);
		await using hermes = startOnTerminal(["-m", "m", "--base-url", server.url], { home: home.path });
		await hermes.answer("> ", "go");
		await hermes.shows("a python script, which can do whatever you can:");
		await hermes.shows("print('sees', terminal('sh -c ls')['status'])");
		await hermes.answer("[y]es, and later scripts of this session / [o]nly this one / [N]o: ", "y");
		await hermes.answer("Allow? sh -c ls", "n");
		await hermes.shows("second 2");
		await hermes.answer("Done.", "/quit");
		expect(await hermes.exitCode).toBe(0);
		const answers = server.requests.at(-1)?.body.messages.filter(({ role }) => role === "tool") ?? [];
		expect(answers.map(({ content }) => JSON.parse(String(content)).output)).toEqual(["sees blocked\n", "second 2\n"]);
	},
	limitMs,
);

test(
	"what a script prints is shown while it runs, and the model is told of the tools there are",
	async () => {
		using home = temporaryFolder();
		await using server = startOpenAiServer([
			script("print('early', flush=True)\nimport time; time.sleep(0.3)\nprint('late')"),
			{ text: "Done." },
		]);
		const { stdout, exitCode } = await runHermes(
			["chat", "-q", "go", "-m", "m", "--base-url", server.url, "--yolo", "--output", "stream-json"],
			{ home: home.path },
		);
		const events = stdout
			.trimEnd()
			.split("\n")
			.map((line) => JSON.parse(line));
		const shown = events.filter(({ type }) => type === "tool_output").map(({ text }) => text);
		expect([exitCode, shown]).toEqual([0, ["early\n", "late\n"]]);
		const told = JSON.stringify(server.requests[0]?.body);
		expect(told).toContain("read_file(path: str, offset: int = 1, limit: int = 500)");
		expect(told).not.toContain("web_search(query");
	},
	limitMs,
);
