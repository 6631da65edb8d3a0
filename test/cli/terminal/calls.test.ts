/** Calls of tools in the chat that draws on the terminal: edits, sub-agents, and what the settings say about them. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { type ChatScene, runsCommand, startChat } from "../../support/chat-scene.ts";
import { expectScreen } from "../../support/golden-screen.ts";
import { keys } from "../../support/terminal-screen.ts";

// Each test starts processes, and other tests may keep the machine busy.
setDefaultTimeout(60_000);

const callOf = (name: string, args: object) => ({ toolCalls: [{ name, arguments: JSON.stringify(args) }] });
const edit = callOf("patch", { path: "main.py", old_string: "two", new_string: "2" });

/** Asks, and waits for the end of the turn. */
async function ask({ hermes }: ChatScene): Promise<void> {
	hermes.type(`go${keys.enter}`);
	await hermes.shows("Done.");
	await hermes.shows("tokens");
	await hermes.hides("Ctrl-C stops");
}

describe.concurrent("calls on the terminal", () => {
	test("an edit is shown as a diff", async () => {
		await using chat = await startChat({
			answers: [edit, { text: "Done." }],
			files: { "main.py": "one\ntwo\nthree\n" },
			args: ["--yolo"],
		});
		await ask(chat);
		await expectScreen("edited", chat.hermes);
		expect(chat.hermes.raw()).toContain("\u001b[32m+2");
		expect(chat.hermes.raw()).toContain("\u001b[31m-two");
	});

	test("R049: a command that runs shows the end of what it has said, and how long it runs", async () => {
		const command = "seq 1 20; while ! test -e go; do sleep 0.05; done; echo over";
		await using chat = await startChat({ answers: [runsCommand(command), { text: "Done." }], args: ["--yolo"] });
		chat.hermes.type(`go${keys.enter}`);
		await chat.hermes.shows(/│ … 14 lines before\n {2}│ 15\n(?: {2}│ \d+\n){5} {2}… · [1-9]\d* s · local/);
		await Bun.write(join(chat.home, "go"), "");
		await chat.hermes.shows("│ over");
		await chat.hermes.shows("Done.");
	});

	test("of a long output the end is shown, and how much came before", async () => {
		await using chat = await startChat({ answers: [runsCommand("seq 1 100"), { text: "Done." }], args: ["--yolo"] });
		await ask(chat);
		expect(chat.hermes.screen()).toContain("│ … 90 lines before\n  │ 91\n");
	});

	test.each([
		{ setting: "tool_progress: off", shown: [], hidden: ["seq 1 30", "│ 30", "main.py"] },
		{ setting: "tool_progress: verbose", shown: ["│ 1\n", "│ 30", "+2"], hidden: ["lines before"] },
		{ setting: "inline_diffs: false", shown: ["│ 30", "patch main.py"], hidden: ["+2"] },
	])("display.$setting", async ({ setting, shown, hidden }) => {
		await using chat = await startChat({
			answers: [runsCommand("seq 1 30"), edit, { text: "Done." }],
			files: { "main.py": "two\n", ".hermes/config.yaml": `display:\n  ${setting}\n  bell_on_complete: true\n` },
			args: ["--yolo"],
			rows: 60,
		});
		await ask(chat);
		const screen = chat.hermes.screen();
		expect({
			shown: shown.filter((text) => !screen.includes(text)),
			hidden: hidden.filter((text) => screen.includes(text)),
		}).toEqual({
			shown: [],
			hidden: [],
		});
		expect(chat.hermes.raw()).toContain("\u0007");
	});

	test("sub-agents have a line each while they work and when they are done", async () => {
		const tasks = [{ goal: "look into the parser" }, { goal: "look into the printer" }];
		await using chat = await startChat({
			answers: [callOf("delegate_task", { tasks }), { text: "Done." }],
			args: ["--yolo"],
			rows: 50,
		});
		chat.hermes.type(`go${keys.enter}`);
		await chat.hermes.shows("✓ 1/2 look into the parser");
		await chat.hermes.shows("✓ 2/2 look into the printer");
	});

	test("Ctrl-Z gives the terminal away, and the chat is drawn again afterwards", async () => {
		await using chat = await startChat({ answers: [{ text: "Done." }] });
		await ask(chat);
		chat.hermes.type("half a line");
		await chat.hermes.shows("half a line");
		const before = chat.hermes.raw().length;
		// No shell stands behind this terminal, so nothing stops us and the chat is back at once.
		chat.hermes.type("\u001a");
		await chat.hermes.until(() => {
			const [, behindCursor = ""] = chat.hermes.raw().slice(before).split("\u001b[?25h");
			return behindCursor.includes("half a line");
		});
		chat.hermes.type(`, the rest${keys.enter}`);
		await chat.hermes.shows("› half a line, the rest");
	});
});
