/** A newcomer's first hour: what the README says is typed into a shell, as it says it, and nothing else. */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { builtBinary } from "../support/built-binary.ts";
import { startOpenAiServer } from "../support/openai-server.ts";
import { requireService, serviceVariable } from "../support/required-service.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { type HermesOnScreen, keys, startOnScreen } from "../support/terminal-screen.ts";

setDefaultTimeout(240_000);

const readme = readFileSync(join(import.meta.dir, "../../README.md"), "utf8");

const hasDocker = await requireService("docker", async () => {
	const engine = serviceVariable("DOCKER_HOST").replace("unix://", "");
	const answer = await fetch("http://docker/_ping", { unix: engine });
	if (!answer.ok) throw new Error(`the engine answers with status ${answer.status}`);
});

const runs = (command: string) => ({
	toolCalls: [{ name: "terminal", arguments: JSON.stringify({ command }) }],
});

const server = startOpenAiServer(
	[
		runs("echo made by $((40 + 2))"),
		{ text: "The project is called **lighthouse**." },
		...(hasDocker
			? [runs("test -e /.dockerenv && echo inside a container"), { text: "That was another machine." }]
			: []),
		{ text: "You asked about the lighthouse." },
	],
	"A First Talk",
	["house-model"],
);
const home = temporaryFolder();
const project = join(home.path, "project");
let shell: HermesOnScreen;

beforeAll(async () => {
	// "Copy it anywhere, it needs nothing beside it."
	const bin = join(home.path, "bin");
	for (const folder of [bin, project]) mkdirSync(folder);
	copyFileSync(await builtBinary(), join(bin, "hermes"));
	writeFileSync(join(project, "notes.txt"), "lighthouse\n");
	// The folder of the usual home: nobody has named one.
	const program = ["env", "-u", "HERMES_HOME", "bash", "--norc", "--noprofile", "-i"];
	const env = {
		PATH: `${bin}:${process.env.PATH ?? ""}`,
		TERM: "xterm-256color",
		PS1: "shell \\#> ",
		HISTFILE: "",
		...(hasDocker && { DOCKER_HOST: serviceVariable("DOCKER_HOST") }),
	};
	shell = startOnScreen([], { home: home.path, cwd: project, env, program, columns: 110, rows: 40 });
	await atPrompt();
});

afterAll(async () => {
	await shell[Symbol.asyncDispose]();
	await server[Symbol.asyncDispose]();
	home[Symbol.dispose]();
});

let typed = 1;

/** The shell waits for the next command; it numbers them. */
async function atPrompt(): Promise<void> {
	await shell.until((screen) => screen.split("\n").at(-1) === `shell ${typed}>`);
}

/** Types `command`, of which the README has `words`; what stands in capitals there is the reader's to fill in. */
function type(command: string, words = command): void {
	expect(readme).toContain(words);
	typed++;
	shell.type(`clear; ${command}\r`);
}

/** Says something in a chat, and waits for what comes of it. */
async function say(text: string, shows: string): Promise<void> {
	shell.type(`${text}\r`);
	await shell.shows(shows);
	await shell.hides("working");
}

test("the first conversation asks what it has to know, and then calls a tool on this machine", async () => {
	type("hermes");
	await shell.shows("How do you want to go on?");
	await choose("Set it up");
	for (const [question, answer] of [
		["Who answers?", keys.up + keys.enter],
		["Address, with /v1", `${server.url}\r`],
		["Does it need a key?", "n"],
		["Which model?", keys.enter],
	] as const) {
		await shell.shows(question);
		shell.type(answer);
	}
	await shell.shows(/house-model · .*project/);
	await say("what is this project called?", "called lighthouse.");
	const screen = shell.everything();
	expect(screen).toContain("echo made by $((40 + 2))");
	expect(screen).toContain("made by 42");
	expect(readme).toContain("/help lists its commands");
	await say("/help", "/usage");
	expect(shell.everything()).toContain("/quit");
	shell.type("/quit\r");
	await atPrompt();
});

/** Goes down to `label` in a list whose beginning depends on the machine. */
async function choose(label: string): Promise<void> {
	const isChosen = (screen: string) => screen.split("\n").some((line) => line.includes("●") && line.includes(label));
	for (let step = 0; !isChosen(shell.screen()) && step < 6; step++) {
		const before = shell.screen();
		shell.type(keys.down);
		await shell.until((screen) => screen !== before);
	}
	shell.type(keys.enter);
}

test.if(hasDocker)("the same project in a container, after the two lines that say so", async () => {
	type("hermes config set terminal.backend docker");
	await atPrompt();
	const image = serviceVariable("HERMES_TEST_DOCKER_IMAGE");
	type(`hermes config set terminal.docker_image ${image}`, "hermes config set terminal.docker_image ");
	await atPrompt();
	// Else it stays when hermes ends.
	type("hermes config set terminal.docker_persist_across_processes false", "terminal.docker_persist_across_processes");
	await atPrompt();
	type("hermes");
	await shell.shows(/house-model · /);
	await say("and where does that run?", "another machine.");
	expect(shell.everything()).toContain("inside a container");
	shell.type("/quit\r");
	await atPrompt();
	type("hermes config set terminal.backend local", "hermes config set terminal.backend ");
	await atPrompt();
});

test("a conversation is gone on with, and found again", async () => {
	type("hermes --continue");
	await shell.shows(/house-model · /);
	await say("what did I ask?", "about the lighthouse.");
	const asked = server.requests.at(-1)?.body.messages.map(({ content }) => String(content)) ?? [];
	expect(asked).toContain(hasDocker ? "and where does that run?" : "what is this project called?");
	shell.type("/quit\r");
	await atPrompt();

	type("hermes sessions search lighthouse", "hermes sessions search ");
	await atPrompt();
	expect(shell.screen()).toContain("A First Talk");
	expect(shell.screen()).toContain("called **lighthouse**");
	type("hermes sessions list");
	await atPrompt();
	expect(shell.screen()).toContain("A First Talk");
});
