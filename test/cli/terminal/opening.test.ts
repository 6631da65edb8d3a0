/** How a chat on the terminal begins: the frame is there before anything else, and what fails is said after it has gone. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { startChat } from "../../support/chat-scene.ts";
import { startOpenAiServer } from "../../support/openai-server.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { keys, startOnScreen } from "../../support/terminal-screen.ts";

// Each test starts processes, and other tests may keep the machine busy.
setDefaultTimeout(60_000);

async function homeWith(config: string) {
	const home = temporaryFolder();
	await Bun.write(`${home.path}/.hermes/config.yaml`, config);
	return home;
}

describe.concurrent("the beginning of a chat", () => {
	test("what is typed before the chat is open, or even drawn, are the first questions", async () => {
		using home = temporaryFolder();
		await using server = startOpenAiServer([{ text: "Early." }, { text: "Then." }]);
		await using hermes = startOnScreen(["-m", "m", "--base-url", server.url], { home: home.path });
		hermes.type(`at once${keys.enter}`);
		await hermes.shows("opening …");
		hermes.type(`quick${keys.enter}`);
		await hermes.shows("Then.");
		expect(server.requests.map(({ body }) => body.messages.at(-1)?.content)).toEqual(["at once", "quick"]);
	});

	test.each([
		{ name: "a broken file", config: "display: [\n", args: ["-m", "m"], code: 1, said: "Cannot read" },
		{
			name: "an unknown provider",
			config: "agent: {max_turns: 3}\n",
			args: ["-m", "m", "--provider", "nonsense"],
			code: 2,
			said: 'Cannot use provider "nonsense"',
		},
	])("$name ends the frame, and then it is said", async ({ config, args, code, said }) => {
		using home = await homeWith(config);
		await using hermes = startOnScreen(args, { home: home.path });
		expect(await hermes.exitCode).toBe(code);
		// Nothing of the editor is left between the first line and the reason.
		expect(hermes.screen().replaceAll("\n", " ")).toMatch(
			new RegExp(`^hermes \\S.*/help for commands\\s+hermes: ${said}`),
		);
	});

	test("settings that want lines get lines, whatever was drawn before", async () => {
		using home = await homeWith('"display":\n  "interface": &i cli\n');
		await using server = startOpenAiServer([{ text: "Plain." }]);
		await using hermes = startOnScreen(["-m", "m", "--base-url", server.url], { home: home.path });
		await hermes.shows(/· \/help for commands\n>/);
		hermes.type(`go${keys.enter}`);
		await hermes.shows("Plain.");
	});

	test("a session that is picked from the list goes on in the chat", async () => {
		await using chat = await startChat({ answers: [{ text: "It is blue." }, { text: "Still blue." }] });
		chat.hermes.type(`which colour?${keys.enter}`);
		await chat.hermes.shows("It is blue.");
		await chat.hermes.hides("Ctrl-C stops");
		chat.hermes.type(keys.ctrlD);
		await chat.hermes.exitCode;
		const browser = startOnScreen(["sessions", "browse", ...chat.modelFlags], { home: chat.home });
		await using _ = browser;
		await browser.shows("nothing>");
		browser.type(`1${keys.enter}`);
		await browser.shows("test-model · ");
		browser.type(`and now?${keys.enter}`);
		await browser.shows("Still blue.");
	});
});
