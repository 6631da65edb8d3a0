/** The chat that draws on the terminal, as its user sees it: screens are compared with files in test/fixtures/screens. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { runsCommand, startChat, streamed } from "../../support/chat-scene.ts";
import { expectScreen } from "../../support/golden-screen.ts";
import { startOpenAiServer } from "../../support/openai-server.ts";
import { keys } from "../../support/terminal-screen.ts";

// Each test starts processes, and other tests may keep the machine busy.
setDefaultTimeout(60_000);

const answer = `# What was found

The file **is** there, see \`main.ts\`:

\`\`\`ts
// the answer
const answer = 42;
\`\`\`

1. first
2. second, with words that go on and on until the line is longer than the terminal is wide

| name | value |
|---|---|
| one | 1 |

That is all.`;

describe.concurrent("a chat on the terminal", () => {
	test("shows what is typed, the calls of the model, where they ran, and its answer as Markdown", async () => {
		await using chat = await startChat({
			answers: [runsCommand("echo from the command", "I look."), streamed(answer)],
			args: ["--yolo"],
			rows: 40,
		});
		const { hermes } = chat;
		hermes.type(`look there${keys.ctrlJ}and there`);
		await hermes.shows("and there");
		await expectScreen("typed", hermes);
		hermes.type(keys.enter);
		await hermes.shows("tokens");
		await expectScreen("answered", hermes);
		expect(chat.asked()[0]).toBe("look there\nand there");
	});

	test("completes commands with what they do, and files by parts of their names", async () => {
		await using chat = await startChat({
			answers: [{ text: "Read." }],
			files: { "src/parser.ts": "", "src/printer.ts": "", "notes.md": "", "node_modules/parser/index.js": "" },
		});
		const { hermes } = chat;
		hermes.type("/compr");
		await hermes.shows("/compress [FOCUS]");
		await expectScreen("completes-command", hermes);
		hermes.type(keys.escape);
		await hermes.hides("/compress [FOCUS]");
		hermes.type(keys.ctrlC);
		await hermes.shows("Ctrl-C again leaves");
		hermes.type("read @pars");
		await hermes.shows("→ src/parser.ts");
		hermes.type(keys.tab);
		await hermes.shows("read @src/parser.ts ");
		hermes.type(keys.enter);
		await hermes.shows("Read.");
		expect(chat.asked()).toEqual(["read @src/parser.ts"]);
	});

	test("40 pasted lines are one marker in the editor, and all there for the model", async () => {
		await using chat = await startChat({ answers: [{ text: "Seen." }] });
		const { hermes } = chat;
		const lines = Array.from({ length: 40 }, (_, at) => `line ${at + 1}`).join("\n");
		hermes.type("look: ");
		hermes.type(keys.paste(lines));
		await hermes.shows("[paste #1 +40 lines]");
		await expectScreen("pasted", hermes);
		hermes.type(keys.enter);
		await hermes.shows("Seen.");
		expect(chat.asked()).toEqual([`look: ${lines}`]);
	});

	test("Ctrl-C ends the turn and not the chat; twice it leaves", async () => {
		await using chat = await startChat({
			answers: [runsCommand("echo begun; sleep 60"), { text: "Here again." }],
			args: ["--yolo"],
		});
		const { hermes } = chat;
		hermes.type(`go${keys.enter}`);
		await hermes.shows("│ begun");
		hermes.type(keys.ctrlC);
		await hermes.shows("interrupted");
		await expectScreen("interrupted", hermes);
		hermes.type(`and now?${keys.enter}`);
		await hermes.shows("Here again.");
		await hermes.hides("Ctrl-C stops");
		hermes.type(keys.ctrlC);
		await hermes.shows("Ctrl-C again leaves");
		hermes.type(keys.ctrlC);
		expect(await hermes.exitCode).toBe(0);
		expect(hermes.everything()).toContain("Here again.");
	});

	test("Ctrl-C twice leaves in the middle of a turn, and so does the end of the terminal", async () => {
		const works = runsCommand("echo begun; sleep 60");
		await using chat = await startChat({ answers: [works], args: ["--yolo"] });
		chat.hermes.type(`go${keys.enter}`);
		await chat.hermes.shows("│ begun");
		chat.hermes.type(keys.ctrlC);
		chat.hermes.type(keys.ctrlC);
		expect(await chat.hermes.exitCode).toBe(130);
		const next = await chat.again(["--yolo"]);
		next.type(`go${keys.enter}`);
		await next.shows("│ begun");
		next.hangUp();
		expect(await next.exitCode).toBe(129);
	});

	test("Ctrl-C stops a command that takes long, and twice it leaves", async () => {
		await using silent = startOpenAiServer([{ fault: "never" }]);
		const config = `auxiliary: {compression: {base_url: "${silent.url}", model: m}}`;
		await using chat = await startChat({
			answers: [{ text: `Answer. ${"word ".repeat(300)}` }],
			files: { ".hermes/config.yaml": config },
		});
		const { hermes } = chat;
		for (let turn = 0; turn < 6; turn++) {
			hermes.type(`question ${turn}${keys.enter}`);
			await hermes.until(() => chat.requests.length === turn + 1);
			await hermes.hides("Ctrl-C stops");
		}
		const compress = async (times: number) => {
			hermes.type(`/compress${keys.enter}`);
			// The screen does not tell when a request has arrived.
			while (silent.requests.length < times) await Bun.sleep(10);
		};
		await compress(1);
		hermes.type(keys.ctrlC);
		await hermes.shows("Cannot shorten the session");
		await compress(2);
		hermes.type(keys.ctrlC);
		hermes.type(keys.ctrlC);
		expect(await hermes.exitCode).toBe(130);
	});

	test("what is typed while the model works stops it, waits, or reaches it in the middle, as the user wants", async () => {
		await using chat = await startChat({
			answers: [
				runsCommand("echo begun; while ! test -e go; do sleep 0.05; done", "Working."),
				{ text: "First." },
				{ text: "Second." },
			],
			files: { ".hermes/config.yaml": "display: {busy_input_mode: steer}\n" },
			args: ["--yolo"],
		});
		const { hermes } = chat;
		hermes.type(`go${keys.enter}`);
		await hermes.shows("│ begun");
		hermes.type(`use tabs${keys.enter}`);
		await hermes.shows("the model is told with the next tool result");
		hermes.type(`/queue then this${keys.enter}`);
		await hermes.shows("that comes next");
		await expectScreen("steered", hermes);
		await Bun.write(`${chat.home}/go`, "");
		await hermes.shows("Second.");
		expect(chat.asked()).toEqual([
			"go",
			expect.stringMatching(/<user_steering>\nuse tabs\n<\/user_steering>$/),
			"then this",
		]);
	});

	test("a call that needs consent is shown as a whole, and answered by one key", async () => {
		const script = `sh -c 'touch made'; ${Array.from({ length: 30 }, (_, at) => `echo ${at}`).join("; ")}`;
		await using chat = await startChat({ answers: [runsCommand(script), { text: "Made." }] });
		const { hermes } = chat;
		hermes.type(`make it${keys.enter}`);
		await hermes.shows("[y]es / [N]o / [s]ession");
		await expectScreen("asks", hermes);
		hermes.type("y");
		await hermes.shows("Made.");
		expect(await Bun.file(`${chat.home}/made`).exists()).toBeTrue();
	});

	test.each([
		{ name: "n", key: "n" },
		{ name: "Enter", key: keys.enter },
		{ name: "Ctrl-C", key: keys.ctrlC },
	])("$name is a no", async ({ key }) => {
		await using chat = await startChat({ answers: [runsCommand("sh -c 'touch made'"), { text: "Not made." }] });
		const { hermes } = chat;
		hermes.type(`make it${keys.enter}`);
		await hermes.shows("[y]es / [N]o / [s]ession");
		hermes.type(key);
		await hermes.shows(key === keys.ctrlC ? "interrupted" : "Not made.");
		expect(await Bun.file(`${chat.home}/made`).exists()).toBeFalse();
	});

	test("a sentence that is being typed when a question comes is no answer to it", async () => {
		await using chat = await startChat({ answers: [runsCommand("sh -c 'touch made'"), { text: "Not made." }] });
		const { hermes } = chat;
		hermes.type(`make it${keys.enter}`);
		// Key after key until the question is there and after: the y of "yes" among them.
		await hermes.until((screen) => {
			const isAsked = screen.includes("Allow this?");
			if (!isAsked) hermes.type("y");
			return isAsked;
		});
		await hermes.shows("[y]es / [N]o");
		hermes.type("n");
		await hermes.shows("Not made.");
		await hermes.hides("Ctrl-C stops");
		expect(hermes.screen()).toMatch(/^ y+ *$/m);
		expect(await Bun.file(`${chat.home}/made`).exists()).toBeFalse();
	});

	test("a question of the model is answered by a digit, or with other words", async () => {
		const asks = {
			toolCalls: [
				{ name: "clarify", arguments: JSON.stringify({ question: "Which one?", choices: ["the red", "the blue"] }) },
			],
		};
		await using chat = await startChat({ answers: [asks, { text: "Fine." }, asks, { text: "Good." }] });
		const { hermes } = chat;
		hermes.type(`pick${keys.enter}`);
		await hermes.shows("a digit or Enter picks");
		await expectScreen("clarifies", hermes);
		hermes.type("2");
		await hermes.shows("Fine.");
		await hermes.hides("Ctrl-C stops");
		hermes.type(`again${keys.enter}`);
		await hermes.shows("a digit or Enter picks");
		hermes.type(`neither${keys.enter}`);
		await hermes.shows("Good.");
		const answers = chat.requests.flatMap(({ body }) => body.messages.filter(({ role }) => role === "tool"));
		expect(answers.map(({ content }) => JSON.parse(String(content)).user_response)).toEqual(
			expect.arrayContaining(["the blue", "neither"]),
		);
	});

	test("a session goes on where it was left, with what was said last", async () => {
		await using chat = await startChat({ answers: [{ text: "It is **blue**." }, { text: "Still blue." }] });
		// A title of its own: the one that the model gives may come too late.
		chat.hermes.type(`/title Colours${keys.enter}`);
		await chat.hermes.shows("Title Colours");
		chat.hermes.type(`which colour?${keys.enter}`);
		await chat.hermes.shows("It is blue.");
		await chat.hermes.hides("Ctrl-C stops");
		chat.hermes.type(keys.ctrlD);
		expect(await chat.hermes.exitCode).toBe(0);
		const next = await chat.again(["--continue"]);
		await next.shows("It is blue.");
		await expectScreen("resumed", next);
		next.type(`and now?${keys.enter}`);
		await next.shows("Still blue.");
		expect(chat.requests.at(-1)?.body.messages.map(({ content }) => content)).toEqual(
			expect.arrayContaining(["which colour?", "It is **blue**.", "and now?"]),
		);
	});

	test("/statusbar hides the lowest line and shows it again, and the settings remember it", async () => {
		await using chat = await startChat({ answers: [] });
		const { hermes, home } = chat;
		const settings = () => Bun.file(`${home}/.hermes/config.yaml`).text();
		hermes.type(`/sb${keys.enter}`);
		await hermes.shows("The status line is hidden");
		await hermes.hides("test-model · ");
		expect(await settings()).toContain("statusbar: false");
		hermes.type(keys.ctrlC);
		await hermes.shows("Ctrl-C again leaves");
		hermes.type(`/statusbar${keys.enter}`);
		await hermes.shows("The status line is shown");
		await hermes.shows("test-model · ");
		expect(await settings()).toContain("statusbar: true");
	});

	test("what was typed in earlier chats comes back with the arrow keys, without secrets", async () => {
		await using chat = await startChat({ answers: [{ text: "Yes." }] });
		const { hermes } = chat;
		hermes.type(`use sk-proj-abcdefghijklmnopqrstuvwxyz0123456789 please${keys.enter}`);
		await hermes.shows("Yes.");
		await hermes.hides("Ctrl-C stops");
		hermes.type(keys.ctrlD);
		await hermes.exitCode;
		const kept = await Bun.file(`${chat.home}/.hermes/chat_history.jsonl`).text();
		expect(kept).not.toContain("abcdefghijklmnop");
		const next = await chat.again([]);
		next.type(keys.up);
		await next.shows(/^ use \S+ please/m);
	});
});
