/** What a real MCP server asks of the user at a terminal, and of the user's model. */

import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "../../lib/store/database.ts";
import { sessionReport } from "../../lib/store/usage-report.ts";
import { type ScriptedAnswer, startOpenAiServer } from "../support/openai-server.ts";
import { runHermes, startOnTerminal } from "../support/run-hermes.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Each test starts processes, and other tests may keep the machine busy.
setDefaultTimeout(60_000);

const everything = join(import.meta.dir, "../../node_modules/@modelcontextprotocol/server-everything/dist/index.js");

function configure(home: string, entry: object): void {
	mkdirSync(join(home, ".hermes"), { recursive: true });
	const every = { command: process.execPath, args: [everything], ...entry };
	writeFileSync(join(home, ".hermes/config.yaml"), JSON.stringify({ mcp_servers: { every } }));
}

function calls(name: string, args: object): ScriptedAnswer {
	return { toolCalls: [{ name: `mcp_every_${name}`, arguments: JSON.stringify(args) }] };
}

/** What the model was told of its last call. */
function lastAnswer(request: unknown): string {
	return JSON.stringify((request as { body: { messages: unknown[] } }).body.messages.at(-1));
}

test("a server's page and its question to the model are put to the user, who answers at the terminal", async () => {
	using home = temporaryFolder();
	configure(home.path, { sampling: { enabled: true } });
	await using model = startOpenAiServer([
		calls("trigger_url_elicitation", { url: "https://pay.example/x", message: "Pay here" }),
		calls("trigger_url_elicitation", { url: "https://first.example/y", message: "Sign up", errorPath: true }),
		calls("trigger_sampling_request", { prompt: "two words", maxTokens: 50 }),
		{ text: "Hello there" },
		{ text: "All done." },
	]);
	const args = ["chat", "-q", "go", "-m", "test-model", "--base-url", model.url];
	await using hermes = startOnTerminal(args, { home: home.path });
	await hermes.shows('MCP server "every" asks you to open a page of pay.example: Pay here');
	await hermes.answer("or another answer]:", "1");
	// Refused until a page was opened, then asked for once more.
	await hermes.shows('MCP server "every" asks you to open a page of modelcontextprotocol.io: Open this link');
	await hermes.answer("or another answer]:", "1");
	await hermes.shows('MCP server "every" asks you to open a page of first.example: Sign up');
	await hermes.answer("or another answer]:", "1");
	await hermes.shows('MCP server "every" wants an answer of test-model, of up to 50 tokens, which you pay for:');
	await hermes.shows("two words");
	await hermes.answer("or another answer]:", "1");
	await hermes.shows("All done.");
	expect(await hermes.exitCode).toBe(0);
	expect(model.requests).toHaveLength(5);
	expect(lastAnswer(model.requests[1])).toContain("accept");
	expect(lastAnswer(model.requests[2])).toContain("accept");
	expect(lastAnswer(model.requests[4])).toContain("Hello there");
	// What a server asks of the model is on the bill of the session.
	using store = openStore(join(home.path, ".hermes/state.db"));
	const [session] = store.listSessions();
	expect(sessionReport(store, session?.id ?? "").map(({ task, calls }) => [task, calls])).toEqual([
		["conversation", 4],
		["mcp", 1],
	]);
});

test("where nobody is there a server is told of no user, and no model answers for it without the settings", async () => {
	using home = temporaryFolder();
	configure(home.path, { sampling: { enabled: true } });
	await using model = startOpenAiServer([
		calls("trigger_sampling_request", { prompt: "two words" }),
		{ text: "All done." },
	]);
	const args = ["chat", "-q", "go", "-m", "test-model", "--base-url", model.url];
	const { exitCode } = await runHermes(args, { home: home.path });
	expect({ exitCode, requests: model.requests.length }).toEqual({ exitCode: 0, requests: 2 });
	expect(lastAnswer(model.requests[1])).toContain("the user did not agree");
	const offered = JSON.stringify(model.requests[0]);
	expect({ sampling: offered.includes("trigger_sampling"), form: offered.includes("trigger_elicitation") }).toEqual({
		sampling: true,
		form: false,
	});
});
