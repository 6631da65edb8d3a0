/** What is typed at the line chat while the agent works. */

import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startOpenAiServer } from "../support/openai-server.ts";
import { startOnTerminal } from "../support/run-hermes.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Each test starts processes, and other tests may keep the machine busy.
setDefaultTimeout(60_000);

const works = { toolCalls: [{ name: "terminal", arguments: '{"command":"echo begun; sleep 2"}' }] };

async function chat(mode: string | undefined, answers: Parameters<typeof startOpenAiServer>[0]) {
	const home = temporaryFolder();
	const server = startOpenAiServer(answers);
	if (mode !== undefined) {
		mkdirSync(join(home.path, ".hermes"), { recursive: true });
		writeFileSync(join(home.path, ".hermes", "config.yaml"), `display:\n  busy_input_mode: ${mode}\n`);
	}
	const hermes = startOnTerminal(["-m", "m", "--yolo", "--base-url", server.url], { home: home.path });
	return {
		hermes,
		asked: () => server.requests.map(({ body }) => String(body.messages.at(-1)?.content)),
		async [Symbol.asyncDispose]() {
			await hermes[Symbol.asyncDispose]();
			await server[Symbol.asyncDispose]();
			home[Symbol.dispose]();
		},
	};
}

test("hermes chat stops what it does for a line that is typed meanwhile", async () => {
	await using scene = await chat(undefined, [works, { text: "Other." }]);
	await scene.hermes.answer("> ", "go");
	await scene.hermes.answer("begun", "something else");
	await scene.hermes.answer("Other.", "/quit");
	expect(await scene.hermes.exitCode).toBe(0);
	expect(scene.asked()).toEqual(["go", "something else"]);
});

test("hermes chat gives such a line to the model where the settings say steer, and /queue keeps one for later", async () => {
	await using scene = await chat("steer", [works, { text: "First." }, { text: "Second." }]);
	await scene.hermes.answer("> ", "go");
	await scene.hermes.answer("begun", "use tabs");
	await scene.hermes.answer("told with the next tool result", "/queue then this");
	await scene.hermes.answer("Second.", "/quit");
	expect(await scene.hermes.exitCode).toBe(0);
	expect(scene.asked()).toEqual([
		"go",
		expect.stringMatching(/<user_steering>\nuse tabs\n<\/user_steering>$/),
		"then this",
	]);
});
