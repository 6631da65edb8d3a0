/** What a user switches in a chat holds from the next call on: consent, and what is shown of calls. */

import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentEvent } from "../../lib/agent/events.ts";
import { openChatCommands } from "../../lib/cli/conversation/chat-commands.ts";
import { conversationOptions } from "../../lib/cli/conversation/conversation-options.ts";
import { openConversation } from "../../lib/cli/runtime/open-conversation.ts";
import { openTerminalLines } from "../../lib/cli/runtime/terminal-lines.ts";
import { withProgress } from "../../lib/cli/runtime/tool-progress.ts";
import type { ProgressChoice } from "../../lib/commands/command.ts";
import type { PolicySource } from "../../lib/config/policy.ts";
import { startChat } from "../support/chat-scene.ts";
import { cliInProcess } from "../support/command-line.ts";
import { type ScriptedAnswer, type SeenRequest, startOpenAiServer } from "../support/openai-server.ts";
import { machineWithPolicy } from "../support/policy-file.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

setDefaultTimeout(60_000);

const removes = (folder: string): ScriptedAnswer => ({
	toolCalls: [{ name: "terminal", arguments: JSON.stringify({ command: `rm -rf "${folder}"` }) }],
});

/** A chat with nobody at the keyboard: what needs consent is denied. */
async function openChat(
	answers: readonly ScriptedAnswer[],
	{ home, policy, yolo = false }: { readonly home: string; readonly policy?: PolicySource; readonly yolo?: boolean },
) {
	const opened = new AsyncDisposableStack();
	const server = opened.use(startOpenAiServer(answers));
	const { cli: bare } = cliInProcess(home);
	const cli = { ...bare, ...(policy && { policy }) };
	const flags = { model: "m", baseUrl: server.url, output: "text", yolo, quiet: false } as const;
	const options = await conversationOptions(flags, cli, opened.use(openTerminalLines()));
	const { terminal: _, ...unattended } = options;
	const events: AgentEvent[] = [];
	const conversation = opened.use(await openConversation(cli, { ...unattended, emit: (event) => events.push(event) }));
	const said: string[] = [];
	const commands = await openChatCommands({ cli, conversation, surface: "lines", say: (text) => said.push(text) });
	const ask = () => conversation.runTurn("do it", AbortSignal.timeout(30_000));
	return { commands, conversation, said, server, ask, events, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

const promptsOf = (requests: readonly SeenRequest[]) => requests.map(({ body }) => String(body.messages[0]?.content));

test("/yolo on lets calls run that were denied, and /yolo off ends that, even what --yolo began", async () => {
	using machine = machineWithPolicy("approvals_mode: off\n");
	const [first, second, third] = ["a", "b", "c"].map((name) => join(machine.home, name)) as [string, string, string];
	for (const folder of [first, second, third]) mkdirSync(join(folder, "inner"), { recursive: true });
	const done = { text: "done" };
	await using chat = await openChat([removes(first), done, removes(second), done, removes(third), done], machine);
	await chat.ask();
	await chat.commands.run("/yolo on");
	await chat.commands.run("/status");
	await chat.ask();
	await chat.commands.run("/yolo off");
	await chat.ask();
	expect([first, second, third].map((folder) => existsSync(folder))).toEqual([true, false, true]);
	expect(chat.said).toEqual([
		"YOLO: calls run without asking you, those of sub-agents too; /yolo off ends that",
		expect.stringMatching(/^consent +YOLO/m),
		"Dangerous calls are asked about; /yolo on runs them without asking",
	]);

	await using begun = await openChat([removes(third), done], { home: machine.home, yolo: true });
	await begun.commands.run("/yolo off");
	await begun.ask();
	expect(existsSync(third)).toBeTrue();
});

test("/personality changes no prompt that was sent: it speaks from the next session on, and in later chats", async () => {
	using home = temporaryFolder();
	mkdirSync(join(home.path, ".hermes"));
	const config = { agent: { personalities: { owl: "Speak like an owl." } }, display: { personality: "nobody" } };
	writeFileSync(join(home.path, ".hermes/config.yaml"), JSON.stringify(config));
	const answers = Array.from({ length: 4 }, () => ({ text: "done" }));
	await using chat = await openChat(answers, { home: home.path });
	expect(chat.events).toContainEqual({
		type: "warning",
		message: expect.stringMatching(/^There is no personality "nobody" .* owl$/),
	});
	const hasOwl = () =>
		chat.server.requests.map(({ body }) => String(body.messages[0]?.content).includes("Speak like an owl."));
	await chat.ask();
	await chat.commands.run("/personality owl");
	await chat.ask();
	await chat.commands.run("/new");
	await chat.ask();
	expect(hasOwl()).toEqual([false, false, true]);
	await chat.commands.run("/new");
	await chat.commands.run("/personality none");
	await chat.ask();
	expect(hasOwl()).toEqual([false, false, true, false]);
	await chat.commands.run("/personality oul");
	await chat.commands.run("/personality concise");
	expect(chat.said.filter((text) => !text.startsWith("New session"))).toEqual([
		"Personality owl from the next session on: /new begins one",
		"No personality from now on",
		'Cannot use personality "oul": did you mean owl?',
		"Personality concise from the next session on: /new begins one",
	]);
	await using next = await openChat([{ text: "done" }], { home: home.path });
	await next.ask();
	expect(String(next.server.requests[0]?.body.messages[0]?.content)).toContain("as few words as the matter allows");
});

test("/fast says who has nothing faster", async () => {
	using home = temporaryFolder();
	await using chat = await openChat([], { home: home.path });
	await chat.commands.run("/fast on");
	await chat.commands.run("/fast");
	expect(chat.said).toEqual([
		"Cannot ask for faster answers: custom does not offer them for m",
		"Answers come at the usual speed and price",
	]);
});

test("/yolo without a word, or with half of its name, changes nothing", async () => {
	using machine = machineWithPolicy("approvals_mode: off\n");
	await using chat = await openChat([], machine);
	for (const line of ["/yolo", "/y", "/yolo maybe"]) await chat.commands.run(line);
	expect(chat.conversation.consent.isUnasked).toBeFalse();
	expect(chat.said.at(-1)).toBe("Cannot understand that: say /yolo on or /yolo off");
});

test("/yolo is refused where the machine's policy forbids it", async () => {
	using machine = machineWithPolicy("approvals_mode: manual\n");
	const folder = join(machine.home, "kept");
	mkdirSync(join(folder, "inner"), { recursive: true });
	await using chat = await openChat([removes(folder), { text: "done" }], machine);
	await chat.commands.run("/yolo on");
	await chat.ask();
	expect(chat.said).toEqual([
		`Cannot run calls without asking: the policy "${machine.path}" sets approvals_mode: manual`,
	]);
	expect(existsSync(folder)).toBeTrue();
	expect(() => chat.conversation.consent.set(true)).toThrow("Cannot run calls without asking");
});

test("/background hands a task out at once, and its report is a turn of its own", async () => {
	using machine = machineWithPolicy("approvals_mode: off\n");
	await using chat = await openChat([{ text: "There are 3 files." }], machine);
	expect(await chat.commands.run("/bg how many files are there?")).toBe("done");
	expect(chat.said.join()).toMatch(/^deleg_\w+ works on it/);
	await chat.conversation.news.wait(AbortSignal.timeout(30_000));
	expect(chat.conversation.news.take()).toContain("There are 3 files.");
	const [request] = chat.server.requests;
	expect(JSON.stringify(request?.body.messages)).toContain("how many files are there?");
});

test("/model NAME --provider P asks another provider about the same conversation, and --global keeps that", async () => {
	using machine = machineWithPolicy("approvals_mode: off\n");
	await using other = startOpenAiServer([{ text: "from afar" }, { text: "and again" }]);
	const configured = { custom_providers: [{ name: "far", base_url: other.url, model: "gpt-far" }] };
	const config = join(machine.home, ".hermes/config.yaml");
	writeFileSync(config, JSON.stringify(configured));
	await using chat = await openChat([{ text: "from here" }], machine);
	const { conversation, commands, said } = chat;
	await chat.ask();
	await commands.run("/model --provider custom:far");
	await chat.ask();
	const asked = other.requests.map(({ body }) => [body.model, body.messages.map(({ content }) => content).slice(1)]);
	expect(asked).toEqual([["gpt-far", ["do it", "from here", "do it"]]]);
	const { sessionId, store, provider } = conversation;
	expect(promptsOf(other.requests)[0]).toContain("Acting:");
	expect(provider).toMatchObject({ id: "custom:far", baseUrl: other.url });
	expect(store?.getSession(sessionId)).toMatchObject({
		...{ provider: "custom:far", baseUrl: other.url, model: "gpt-far" },
	});

	for (const line of ["/model --provider nobody", "/model x --provder far", "/provider openai"])
		await commands.run(line);
	expect(said.slice(-3)).toEqual([
		expect.stringContaining('Cannot use provider "nobody"'),
		"Cannot understand --provder: did you mean --provider?",
		expect.stringContaining("Cannot"),
	]);
	await chat.ask();
	expect(other.requests).toHaveLength(2);
	expect(conversation.model).toBe("gpt-far");

	await commands.run("/model third --global");
	expect(said.slice(-2)).toEqual(["Model third from now on", "Later chats ask it too"]);
	expect(readFileSync(config, "utf8")).toContain("third");
});

test("another model gets a prompt of its own that the session keeps, and a session without one gets one", async () => {
	using home = temporaryFolder();
	await using chat = await openChat(Array(4).fill({ text: "ok" }), { home: home.path });
	const { conversation, commands, ask, server } = chat;
	const stored = () => conversation.store?.getSession(conversation.sessionId)?.systemPrompt;
	await ask();
	await commands.run("/model gpt-9");
	await ask();
	const [first = "", second = ""] = promptsOf(server.requests);
	expect([first.includes("Acting:"), second.includes("Acting:"), stored()]).toEqual([false, true, second]);
	conversation.store?.updateSession(conversation.sessionId, { systemPrompt: "" });
	conversation.reload();
	await ask();
	expect([promptsOf(server.requests)[2], stored()]).toEqual([second, second]);
});

test("withProgress() passes on the calls that the choice of that moment shows, each from beginning to end", () => {
	const choice: ProgressChoice = { mode: "all" };
	const seen: string[] = [];
	const emit = withProgress(choice, (event) => seen.push("id" in event ? `${event.type} ${event.id}` : event.type));
	const start = (id: string, name: string) => emit({ type: "tool_started", id, name, arguments: "{}" });
	const end = (id: string, name: string) => {
		emit({ type: "tool_output", id, text: "x" });
		const came = { result: "{}", is_error: false, denied: false, duration_ms: 1 };
		emit({ type: "tool_finished", id, name, ...came });
	};
	start("1", "terminal");
	choice.mode = "off";
	end("1", "terminal");
	start("2", "terminal");
	choice.mode = "new";
	end("2", "terminal");
	start("3", "terminal");
	start("4", "read_file");
	emit({ type: "warning", message: "w" });
	expect(seen).toEqual([...["tool_started 1", "tool_output 1", "tool_finished 1"], ...["tool_started 4", "warning"]]);
});

test("/copy hands the last answer to the terminal's clipboard, and shows nothing of it", async () => {
	await using scene = await startChat({
		answers: [{ text: "for the clipboard: ü" }],
		files: { ".hermes/config.yaml": "{}\n" },
	});
	const { hermes } = scene;
	hermes.type("say it\r");
	await hermes.shows("for the clipboard");
	hermes.type("/copy\r");
	await hermes.shows("was sent to your terminal's clipboard");
	expect(hermes.raw()).toContain(`\u001b]52;c;${Buffer.from("for the clipboard: ü").toString("base64")}\u0007`);
});
