/** Every slash command works on every surface that it claims: each is run there, in a conversation that was really held. */

import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentEvent } from "../../lib/agent/events.ts";
import { loadPlugins } from "../../lib/base/plugins.ts";
import { openChatCommands } from "../../lib/cli/conversation/chat-commands.ts";
import { conversationOptions } from "../../lib/cli/conversation/conversation-options.ts";
import type { ConversationFlags } from "../../lib/cli/conversation/flags.ts";
import { openConversation } from "../../lib/cli/runtime/open-conversation.ts";
import { openTerminalLines } from "../../lib/cli/runtime/terminal-lines.ts";
import { commands } from "../../lib/commands/all.ts";
import { chatSurfaces, type RunningTurn } from "../../lib/commands/command.ts";
import { cliInProcess } from "../support/command-line.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Other tests may keep the machine busy.
setDefaultTimeout(60_000);

/** What is typed behind a name, and what shows that it was done: words that are said, or what the surface does next. */
interface Row {
	readonly argument?: string;
	readonly says?: RegExp | string;
	readonly next?: object | string;
}

const rows: Readonly<Record<string, Row>> = {
	agents: { says: /./ },
	background: { argument: "count the files", says: /^deleg_\w+ works on it/m },
	branch: { says: "goes on from" },
	compress: { says: /compress/ },
	config: { argument: "terminal.backend", says: "local" },
	copy: { says: "The last answer (12 bytes)" },
	diff: { says: "there are 0" },
	doctor: { says: "runtime" },
	fast: { says: "usual speed" },
	help: { says: "/quit" },
	history: { says: "you: first question" },
	image: { argument: "a.png", says: "[image #1: a.png 2×2] goes with what you say next" },
	insights: { says: "1 sessions, 1 questions" },
	mcp: { says: "no MCP server" },
	model: { argument: "other", says: "Model other from now on" },
	new: { says: "New session" },
	paste: { says: "5 characters from the clipboard" },
	personality: { argument: "concise", says: "Personality concise from the next session on" },
	plugins: { says: /plug-in/ },
	processes: { says: "Nothing runs in the background" },
	profile: { says: "name: default" },
	provider: { says: "Provider cassette" },
	queue: { argument: "later", next: { ask: "later" } },
	quit: { next: "leave" },
	reasoning: { argument: "high", says: "Effort high from now on" },
	"reload-mcp": { says: "no MCP server" },
	resume: { says: "first question" },
	retry: { next: { ask: "first question" } },
	rollback: { says: /no checkpoint/i },
	save: { argument: "saved.md", says: "Wrote saved.md" },
	sessions: { says: "first question" },
	skin: { argument: "mono", says: "Skin mono from now on" },
	status: { says: "waiting for you" },
	statusbar: { argument: "off", says: "The status line is hidden" },
	steer: { argument: "now", next: { ask: "now" } },
	stop: { says: "No turn runs" },
	title: { argument: "A title", says: "Title A title" },
	tools: { says: "terminal" },
	undo: { says: "Taken back" },
	usage: { says: /conversation +\d/ },
	verbose: { says: "verbose: every call is shown" },
	version: { says: "1.2.3" },
	yolo: { argument: "on", says: "YOLO: calls run without asking" },
};

const { loaded, failures } = await loadPlugins(commands);

test("every command has a row here, and can be loaded", () => {
	expect(failures).toEqual([]);
	expect(Object.keys(rows).sort()).toEqual([...loaded.keys()].sort());
	for (const [name, command] of loaded) expect([command.name, command.surfaces.length > 0]).toEqual([name, true]);
});

test("no two commands share a word", () => {
	const words = [...loaded.values()].flatMap(({ name, aliases = [] }) => [name, ...aliases]);
	expect(words.filter((word, index) => words.indexOf(word) !== index)).toEqual([]);
});

const flags: ConversationFlags = {
	provider: "cassette",
	output: "text",
	yolo: false,
	quiet: false,
};

/** A conversation of one question and one answer, and its commands on `surface`. */
async function openChat(surface: (typeof chatSurfaces)[number]) {
	const opened = new AsyncDisposableStack();
	const folder = opened.use(temporaryFolder());
	const cwd = join(folder.path, "project");
	for (const path of [cwd, join(folder.path, ".hermes")]) mkdirSync(path);
	writeFileSync(join(folder.path, "tape"), JSON.stringify({ text: "first answer" }));
	writeFileSync(join(folder.path, ".hermes/config.yaml"), JSON.stringify({ terminal: { cwd } }));
	const { cli } = cliInProcess(folder.path);
	const terminal = opened.use(openTerminalLines());
	const options = await conversationOptions({ ...flags, cassette: join(folder.path, "tape") }, cli, terminal);
	const said: string[] = [];
	const emit = (event: AgentEvent) => said.push(event.type);
	const conversation = opened.use(await openConversation(cli, { ...options, emit }));
	await conversation.runTurn("first question", AbortSignal.timeout(30_000));
	said.length = 0;
	const copied: string[] = [];
	const chat = await openChatCommands({
		cli,
		conversation,
		surface,
		say: (text) => said.push(text),
		copy: (text) => copied.push(text),
		progress: { mode: "all" },
		images: { attachFile: async (path) => `[image #1: ${path} 2×2]`, paste: async () => "words" },
		statusBar: { isShown: true, show() {} },
		skins: { names: () => ["default", "mono"], worn: "default", wear: async () => [] },
	});
	return { chat, said, copied, conversation, folder: folder.path, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

for (const surface of chatSurfaces) {
	for (const [name, { argument = "", says, next }] of Object.entries(rows)) {
		if (!loaded.get(name)?.surfaces.includes(surface)) continue;
		test(`/${name} works on ${surface}`, async () => {
			await using at = await openChat(surface);
			const typed = name === "save" ? join(at.folder, argument) : argument;
			const outcome = await at.chat.run(`/${name} ${typed}`.trim());
			expect<unknown>(outcome).toEqual(next ?? "done");
			if (name === "save") expect(readFileSync(typed, "utf8")).toContain("first answer");
			else if (says !== undefined) expect(at.said.join("\n")).toMatch(says);
		});
	}
}

test("a command beside a turn runs, waits for its end or is refused, as its record says", async () => {
	await using at = await openChat("terminal");
	const heard: string[] = [];
	const turn: RunningTurn = {
		queue: (text) => void heard.push(`queue ${text}`),
		steer: (text) => heard.push(`steer ${text}`) > 0,
		stop: () => void heard.push("stop"),
	};
	for (const [name, { whileBusy }] of loaded) {
		const typed = name === "save" ? join(at.folder, "saved.md") : (rows[name]?.argument ?? "");
		const outcome = await at.chat.run(`/${name} ${typed}`.trim(), turn);
		expect([name, outcome]).toEqual([name, whileBusy === "waits" ? "waits" : "done"]);
	}
	expect(heard.sort()).toEqual(["queue later", "steer now", "stop"]);
});
