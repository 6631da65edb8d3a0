/** What the chat writes to the terminal: what scrolls away stays, once; sizes change; little is written for each word. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { freshBinary } from "../../support/built-binary.ts";
import { runsCommand, startChat, streamed } from "../../support/chat-scene.ts";
import { expectScreen } from "../../support/golden-screen.ts";
import { startOpenAiServer } from "../../support/openai-server.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { keys, startOnScreen } from "../../support/terminal-screen.ts";

// Each test starts processes, and other tests may keep the machine busy.
setDefaultTimeout(60_000);

const paragraph = (at: number) =>
	`Paragraph ${at}: the quick brown fox jumps over the lazy dog until the line is long enough to be wrapped on any of them.`;
const codeLine = (at: number) => `value_${at} = ${at}  # a number`;
const long = [
	...Array.from({ length: 40 }, (_, at) => paragraph(at)),
	`\`\`\`python\n${Array.from({ length: 60 }, (_, at) => codeLine(at)).join("\n")}\n\`\`\``,
	"日本語の文章は一文字が二桁の幅です。😀 👨‍👩‍👧 end",
].join("\n\n");

const eraseScreen = "\u001b[2J";
const eraseScrollback = "\u001b[3J";
const alternateScreen = "\u001b[?1049h";

const isCompiled = process.platform === "linux" && (freshBinary() ?? process.env.HERMES_TEST_BINARY) !== undefined;
const statusFile = (pid: number) => `/proc/${pid}/status`;

/** Lines above and below the editor that are as wide as the terminal; where it has just become narrower it has wrapped them. */
function rulesOf(screen: string, columns: number): number {
	return screen.split("\n").filter((line) => line === "─".repeat(columns)).length;
}

describe.concurrent("the screen of a chat", () => {
	test("an answer longer than the screen stays in the scrollback, each line of it once, at little cost for a word", async () => {
		const words = streamed(long, 10);
		await using chat = await startChat({ answers: [words], columns: 100, rows: 24 });
		const { hermes } = chat;
		const before = hermes.written;
		hermes.type(`go${keys.enter}`);
		await hermes.shows("👧 end");
		await hermes.shows("tokens");
		const all = hermes.everything();
		const counts = [
			...Array.from({ length: 40 }, (_, at) => all.split(`Paragraph ${at}:`).length - 1),
			...Array.from({ length: 60 }, (_, at) => all.split(codeLine(at)).length - 1),
		];
		expect(counts).toEqual(counts.map(() => 1));
		expect(all).toStartWith("hermes ");
		const raw = hermes.raw();
		expect([eraseScreen, eraseScrollback, alternateScreen].filter((code) => raw.includes(code))).toEqual([]);
		// The lines of the editor and the status are written again when a line comes in above them: a few hundred bytes, now and then.
		expect((hermes.written - before) / (words.deltas?.length ?? 1)).toBeLessThan(200);
	});

	test("120 columns become 40 and 120 again: what is visible is drawn for each, and nothing before it is erased", async () => {
		await using chat = await startChat({
			answers: [runsCommand("echo some output"), streamed(long)],
			args: ["--yolo"],
			columns: 120,
			rows: 30,
		});
		const { hermes } = chat;
		hermes.type(`go${keys.enter}`);
		await hermes.shows("👧 end");
		await hermes.shows("tokens");
		hermes.type("half a sentence");
		await hermes.shows("half a sentence");
		hermes.resize(40, 30);
		await hermes.until((screen) => rulesOf(screen, 40) === 2);
		await expectScreen("narrow", hermes);
		hermes.resize(120, 30);
		await hermes.until((screen) => rulesOf(screen, 120) === 2);
		await expectScreen("wide-again", hermes);
		const all = hermes.everything();
		for (let at = 0; at < 40; at++) expect(all).toContain(`Paragraph ${at}:`);
		expect(hermes.raw()).not.toContain(eraseScrollback);
		hermes.type(keys.enter);
		await hermes.shows("› half a sentence");
	});

	test("a terminal of 20 columns and 8 rows shows as much as there is room for", async () => {
		await using chat = await startChat({
			answers: [runsCommand("seq 1 30"), { text: "The **end** of it, at last." }],
			args: ["--yolo"],
			columns: 20,
			rows: 8,
		});
		const { hermes } = chat;
		hermes.type(`日本語で${keys.enter}`);
		await hermes.shows(/at\nlast\.\n─+\n *\n─+\n/);
		// What the turn used is told last, and does not fit any more.
		await hermes.shows("local:…");
		await expectScreen("small", hermes);
		expect(chat.asked()[0]).toBe("日本語で");
	});

	test("a chat in which nothing happens writes nothing, and holds less than 80 MB", async () => {
		await using chat = await startChat({ answers: [{ text: "Done." }] });
		chat.hermes.type(`go${keys.enter}`);
		await chat.hermes.shows("Done.");
		await chat.hermes.hides("Ctrl-C stops");
		await chat.hermes.shows("tokens");
		// Nothing can be awaited where nothing is to come: longer than the second in which a running turn is drawn again.
		const writesAnything = async () => {
			const before = chat.hermes.written;
			await Bun.sleep(1_500);
			return chat.hermes.written !== before;
		};
		// The last frame of the turn may still be on its way.
		expect((await writesAnything()) && (await writesAnything())).toBeFalse();
		// Run from source, it is Bun that holds them. What a turn has needed is given back a moment after it.
		const heldBytes = () =>
			Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(statusFile(chat.hermes.pid), "utf8"))?.[1]) * 1024;
		while (isCompiled && heldBytes() >= 80_000_000) await Bun.sleep(100);
	});

	test("what a program prints cannot draw on the screen or name the window", async () => {
		const evil = "printf 'one\\033[2Jtwo\\033]0;owned\\007three\\033[5A\\rfour\\n'";
		await using chat = await startChat({
			answers: [runsCommand(evil), streamed("Text\u001b[2J with \u001b]52;c;b3duZWQ=\u0007 codes\u202e.")],
			args: ["--yolo"],
		});
		const { hermes } = chat;
		hermes.type(`go${keys.enter}`);
		await hermes.shows("codes");
		await hermes.shows("tokens");
		const raw = hermes.raw();
		expect(
			["\u001b[2J", "\u001b]0;owned", "\u001b[5A\r", "\u001b]52", "\u202e"].filter((code) => raw.includes(code)),
		).toEqual([]);
		expect(hermes.screen()).toContain("│ four");
	});

	test("a terminal of 2 columns breaks nothing, and all is well when it grows", async () => {
		await using chat = await startChat({ answers: [{ text: "Hello **there**, you." }, { text: "Again." }] });
		const { hermes } = chat;
		hermes.resize(2, 2);
		hermes.type(`日本語${keys.enter}`);
		await hermes.until(() => chat.requests.length === 1);
		hermes.resize(80, 24);
		await hermes.shows("Hello there, you.");
		await hermes.until((screen) => rulesOf(screen, 80) === 2);
		hermes.type(`more${keys.enter}`);
		await hermes.shows("Again.");
	});

	test("a model that writes without a pause keeps neither what is typed from the screen nor Ctrl-C from the model", async () => {
		using home = temporaryFolder();
		const chunk = { id: "1", object: "chat.completion.chunk", created: 0, model: "m" };
		const word = { ...chunk, choices: [{ index: 0, delta: { content: "and so on " }, finish_reason: null }] };
		const words = new TextEncoder().encode(`data: ${JSON.stringify(word)}\n\n`.repeat(100));
		const floods = () => new ReadableStream({ pull: (controller) => controller.enqueue(words) });
		const headers = { "content-type": "text/event-stream" };
		await using server = Bun.serve({ port: 0, idleTimeout: 0, fetch: () => new Response(floods(), { headers }) });
		const args = ["-m", "m", "--base-url", `http://127.0.0.1:${server.port}/v1`];
		await using hermes = startOnScreen(args, { home: home.path });
		await hermes.shows("m · local");
		hermes.type(`go${keys.enter}`);
		await hermes.shows("and so on");
		hermes.type("SEEN");
		await hermes.shows(" SEEN");
		hermes.type(keys.ctrlC);
		await hermes.shows("interrupted");
	});

	test("signs that the terminal finds wider than they were reckoned move no other line", async () => {
		const family = "👨‍👩‍👧‍👦";
		await using chat = await startChat({ answers: [{ text: `${family.repeat(39)}\n\nbelow` }] });
		chat.hermes.type(`go${keys.enter}`);
		await chat.hermes.shows(/below\n─+\n *\n─+\n/);
		await chat.hermes.shows("tokens");
		const lines = chat.hermes.everything().split("\n");
		expect(lines.indexOf("below") - lines.findIndex((line) => line.includes("👨"))).toBe(2);
		expect(rulesOf(chat.hermes.screen(), 80)).toBe(2);
	});

	test("with NO_COLOR nothing has a colour", async () => {
		await using chat = await startChat({ answers: [streamed("# Head\n\n`code`")], env: { NO_COLOR: "1" } });
		chat.hermes.type(`go${keys.enter}`);
		await chat.hermes.shows("code");
		// The cursor of the editor is drawn by reversing a cell, which is no colour.
		const styles = chat.hermes
			.raw()
			.split("\u001b[")
			.flatMap((part) => /^([\d;]*)m/.exec(part)?.[1] ?? []);
		expect(styles.filter((code) => /(?:^|;)(?:3[0-7]|9[0-7]|4[0-7]|38|48)(?:;|$)/.test(code))).toEqual([]);
	});

	test.each([
		{ name: "--cli", args: ["--cli"], env: {} },
		{ name: "TERM=dumb", args: [], env: { TERM: "dumb" } },
		{ name: "ACCESSIBLE", args: [], env: { ACCESSIBLE: "1" } },
	])("with $name the chat goes line by line, without a single command to the terminal", async ({ args, env }) => {
		using home = temporaryFolder();
		await using server = startOpenAiServer([{ text: "Plain." }]);
		const all = ["-m", "m", "--base-url", server.url, ...args];
		await using hermes = startOnScreen(all, { home: home.path, env: { NO_COLOR: "1", ...env } });
		await hermes.shows("/help for commands\n>");
		hermes.type(`go${keys.enter}`);
		await hermes.shows("Plain.");
		expect(hermes.raw()).not.toContain("\u001b[?2026h");
		hermes.type(`/quit${keys.enter}`);
		expect(await hermes.exitCode).toBe(0);
	});
});
