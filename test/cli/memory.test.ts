/** Notes in a conversation: written by one session, told to the next. */

import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ScriptedAnswer, startOpenAiServer } from "../support/openai-server.ts";
import { runHermes } from "../support/run-hermes.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

setDefaultTimeout(60_000);

const remember = (content: string): ScriptedAnswer => ({
	toolCalls: [{ name: "memory", arguments: JSON.stringify({ action: "add", target: "user", content }) }],
});

/** Asks a question; `requests` is what the server was sent. */
async function ask(home: string, answers: readonly ScriptedAnswer[]) {
	await using server = startOpenAiServer(answers);
	const ran = await runHermes(["chat", "-q", "hello", "-m", "test-model", "--base-url", server.url], { home });
	return { ...ran, requests: server.requests };
}

const systemOf = (body: { readonly messages: readonly unknown[] } | undefined) => JSON.stringify(body?.messages[0]);

test("a note goes to its file at once and into the prompt of the next session, not of this one", async () => {
	using home = temporaryFolder();
	const first = await ask(home.path, [remember("likes tabs"), { text: "noted" }]);
	expect(first.exitCode).toBe(0);
	expect(readFileSync(join(home.path, ".hermes/memories/USER.md"), "utf8")).toBe("likes tabs\n");
	expect(first.requests.map(({ body }) => systemOf(body).includes("likes tabs"))).toEqual([false, false]);

	const second = await ask(home.path, [{ text: "hello" }]);
	expect(systemOf(second.requests[0]?.body)).toContain("USER PROFILE (who the user is) [1% — 10/1375 chars]");
});

test("with write_approval nobody to ask means no note", async () => {
	using home = temporaryFolder();
	mkdirSync(join(home.path, ".hermes"));
	writeFileSync(join(home.path, ".hermes/config.yaml"), "memory:\n  write_approval: true\n");
	const { requests } = await ask(home.path, [remember("likes tabs"), { text: "not noted" }]);
	expect(JSON.stringify(requests.at(-1)?.body.messages.at(-1))).toContain("nobody can be asked");
});

test("with both kinds of notes switched off there is no tool for them", async () => {
	using home = temporaryFolder();
	mkdirSync(join(home.path, ".hermes"));
	const off = "memory:\n  memory_enabled: false\n  user_profile_enabled: false\n";
	writeFileSync(join(home.path, ".hermes/config.yaml"), off);
	const { requests } = await ask(home.path, [{ text: "hello" }]);
	expect(JSON.stringify(requests[0]?.body)).not.toContain('"memory"');
});
