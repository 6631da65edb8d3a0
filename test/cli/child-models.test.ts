/** Whose key sub-agents ask with: that of their parent only where their parent asks. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { runInProcess } from "../support/command-line.ts";
import { startOpenAiServer } from "../support/openai-server.ts";
import { type Home, homeWith, recordsOf } from "../support/taped-agents.ts";

// Conversations of their own, beside other tests.
setDefaultTimeout(60_000);

const parentKey = "sk-of-the-parent-0123";
const answers = [
	{ toolCalls: [{ name: "delegate_task", arguments: JSON.stringify({ goal: "ask" }) }] },
	{ text: "It works." },
	{ text: "Good." },
];

/** Asks the server at `url` once, with a key from the environment. */
function askAt(url: string, { path }: Home) {
	const variables = { HERMES_HOME: join(path, ".hermes"), OPENAI_API_KEY: parentKey };
	return runInProcess(["chat", "-Q", "-q", "go", "--base-url", url, "-m", "large"], path, variables);
}

const keysAt = ({ requests }: { readonly requests: readonly { readonly authorization: string | null }[] }) =>
	requests.map(({ authorization }) => authorization);

describe.concurrent("delegation.*", () => {
	test("another address gets no key that is not named for it", async () => {
		await using parent = startOpenAiServer(answers);
		await using other = startOpenAiServer([{ text: "Without a key." }]);
		using home = homeWith([], `delegation:\n  base_url: ${other.url}\n  model: small\n`);
		expect(await askAt(parent.url, home)).toMatchObject({ exitCode: 0, stdout: "Good.\n" });
		expect(recordsOf(home).list()[0]?.children).toMatchObject([{ model: "small", summary: "Without a key." }]);
		expect(keysAt(other)).toEqual([null]);
		expect(new Set(keysAt(parent))).toEqual(new Set([`Bearer ${parentKey}`]));
	});

	test("a key alone is for the provider of the conversation", async () => {
		await using parent = startOpenAiServer([...answers.slice(0, 2), { text: "With my own." }, { text: "Good." }]);
		using home = homeWith([], "delegation:\n  api_key: sk-of-the-children\n  model: small\n");
		expect(await askAt(parent.url, home)).toMatchObject({ exitCode: 0 });
		const asked = parent.requests.map(({ body, authorization }) => [body.model, authorization]);
		expect(asked).toContainEqual(["small", "Bearer sk-of-the-children"]);
		expect(asked).toContainEqual(["large", `Bearer ${parentKey}`]);
		expect(asked.filter(([, key]) => key === "Bearer sk-of-the-children")).toHaveLength(1);
	});

	test("the parent's own address, however it ends, is asked with the parent's key; a key that is missing is named", async () => {
		await using parent = startOpenAiServer(answers);
		using home = homeWith([], `delegation:\n  base_url: ${parent.url}/\n`);
		expect(await askAt(parent.url, home)).toMatchObject({ exitCode: 0 });
		expect(new Set(keysAt(parent))).toEqual(new Set([`Bearer ${parentKey}`]));
		await using again = startOpenAiServer(answers);
		using wrong = homeWith([], `delegation:\n  provider: openai\n  base_url: ${again.url}\n  model: small\n`);
		expect(await askAt(again.url, wrong)).toMatchObject({ exitCode: 0 });
		expect(recordsOf(wrong).list()[0]?.children).toMatchObject([
			{ status: "error", error: expect.stringContaining(`For ${again.url} the key is delegation.api_key`) },
		]);
	});
});
