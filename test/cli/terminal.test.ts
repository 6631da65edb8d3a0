/** hermes on a terminal: the line chat, and questions about calls. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "../../lib/store/database.ts";
import { startOpenAiServer } from "../support/openai-server.ts";
import { runHermes, startOnTerminal } from "../support/run-hermes.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Each test starts processes, and other tests may keep the machine busy.
setDefaultTimeout(60_000);

const touch = (name: string) => ({
	toolCalls: [{ name: "terminal", arguments: JSON.stringify({ command: `sh -c 'touch ${name}'` }) }],
});

describe("hermes on a terminal", () => {
	test("hermes chats line by line, and knows /help, /new and /quit", async () => {
		using home = temporaryFolder();
		await using server = startOpenAiServer([{ text: "Hello there." }, { text: "Again." }]);
		await using hermes = startOnTerminal(["-m", "m", "--base-url", server.url], { home: home.path });
		await hermes.answer("> ", "hi");
		await hermes.answer("Hello there.", "/help");
		await hermes.answer("leave; so does Ctrl-D (or /exit)", "/nwe");
		await hermes.answer("did you mean /new?", "/new");
		await hermes.answer("New session", "/etc/hosts is what?");
		await hermes.answer("Again.", "/quit");
		expect(await hermes.exitCode).toBe(0);
		expect(server.requests.map(({ body }) => body.messages.slice(1).map(({ content }) => content))).toEqual([
			["hi"],
			["/etc/hosts is what?"],
		]);
	});

	test("/model shows the model and changes it for the next turns, which still know what was said", async () => {
		using home = temporaryFolder();
		await using server = startOpenAiServer([{ text: "One." }, { text: "Two." }, { text: "Three." }]);
		await using hermes = startOnTerminal(["-m", "first", "--base-url", server.url], { home: home.path });
		await hermes.answer("> ", "/model");
		await hermes.answer(`Model first (custom, ${server.url})`, "hi");
		await hermes.answer("One.", "/model big/model:2");
		await hermes.answer("Model big/model:2 from now on", "and now?");
		await hermes.answer("Two.", "/model one two");
		await hermes.answer("Cannot use two models: say /model NAME", "/new");
		await hermes.answer("New session", "again");
		await hermes.answer("Three.", "/quit");
		expect(await hermes.exitCode).toBe(0);
		expect(
			server.requests.map(({ body }) => [body.model, ...body.messages.slice(1).map(({ content }) => content)]),
		).toEqual([
			["first", "hi"],
			["big/model:2", "hi", "One.", "and now?"],
			["big/model:2", "again"],
		]);
		using store = openStore(join(home.path, ".hermes", "state.db"));
		expect(store.listSessions().map(({ model }) => model)).toEqual(["big/model:2", "big/model:2"]);
	});

	test("/usage adds up what the session has used, and begins again with /new", async () => {
		using home = temporaryFolder();
		await using server = startOpenAiServer([touch("made"), { text: "Done." }]);
		await using hermes = startOnTerminal(["-m", "m", "--base-url", server.url, "--yolo"], { home: home.path });
		await hermes.answer("> ", "make it");
		await hermes.shows("Done.");
		await hermes.answer("> ", "/usage");
		await hermes.shows("conversation          2     40     25%      14");
		await hermes.answer("> ", "/new");
		await hermes.answer("New session", "/usage");
		await hermes.answer("all                   0", "/quit now");
		expect(await hermes.exitCode).toBe(0);
	});

	test.each([
		{ answer: "y", made: true, exitCode: 0 },
		{ answer: "", made: false, exitCode: 0 },
		{ answer: "n", made: false, exitCode: 0 },
	])("hermes chat -q asks before a call, and $answer decides", async ({ answer, made, exitCode }) => {
		using home = temporaryFolder();
		await using server = startOpenAiServer([touch("made"), { text: "Done." }]);
		await using hermes = startOnTerminal(["chat", "-q", "hi", "-m", "m", "--base-url", server.url], {
			home: home.path,
		});
		await hermes.answer("Allow? sh -c 'touch made'", answer);
		expect({ exitCode: await hermes.exitCode, made: existsSync(join(home.path, "made")) }).toEqual({ exitCode, made });
	});

	test("hermes asks once for a command that was always allowed, also in a later run, until that is revoked", async () => {
		using home = temporaryFolder();
		await using server = startOpenAiServer([touch("made"), touch("made"), touch("other"), { text: "Done." }]);
		await using hermes = startOnTerminal(["chat", "-q", "hi", "-m", "m", "--base-url", server.url], {
			home: home.path,
		});
		await hermes.answer("Allow? sh -c 'touch made'", "always");
		await hermes.answer("Allow? sh -c 'touch other'", "n");
		expect(await hermes.exitCode).toBe(0);
		expect(hermes.shown().match(/Allow\? sh -c 'touch made'/g)).toHaveLength(1);
		expect(hermes.shown()).toContain("It hands a script to another shell.");
		const [saved] = JSON.parse((await runHermes(["approvals", "list", "--json"], { home: home.path })).stdout);
		expect(saved).toMatchObject({ category: "inline-shell", subject: "sh -c 'touch made'", place: "local" });
		const again = async () => {
			await using other = startOpenAiServer([touch("made"), { text: "Done." }]);
			const args = ["chat", "-q", "hi", "-m", "m", "--base-url", other.url];
			return (await runHermes(args, { home: home.path })).exitCode;
		};
		expect(await again()).toBe(0);
		const revoked = await runHermes(["approvals", "revoke", saved.id], { home: home.path });
		expect([revoked.stdout, await again()]).toEqual(["Revoked 1\n", 3]);
	});

	test("Ctrl-C at a question about a call ends the turn, and what is said of it has its own line", async () => {
		using home = temporaryFolder();
		await using server = startOpenAiServer([touch("made")]);
		await using hermes = startOnTerminal(["-m", "m", "--base-url", server.url], { home: home.path });
		await hermes.answer("> ", "hi");
		await hermes.shows("[a]lways: ");
		hermes.type("\u0003");
		await hermes.shows("\n  ✗ terminal");
		await hermes.answer("hermes: interrupted\n> ", "/quit");
		expect({ exitCode: await hermes.exitCode, made: existsSync(join(home.path, "made")) }).toEqual({
			exitCode: 0,
			made: false,
		});
	});

	test("Ctrl-C stops an answer and not the chat; at the prompt it leaves", async () => {
		using home = temporaryFolder();
		await using server = startOpenAiServer([{ fault: "never" }]);
		await using hermes = startOnTerminal(["-m", "m", "--base-url", server.url], { home: home.path });
		await hermes.answer("> ", "hi");
		while (server.requests.length === 0) await Bun.sleep(10);
		hermes.type("\u0003");
		await hermes.shows("hermes: interrupted");
		await hermes.shows("> ");
		hermes.type("\u0003");
		expect(await hermes.exitCode).toBe(130);
	});
});
