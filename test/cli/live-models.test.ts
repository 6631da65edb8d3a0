/** hermes model: what services say of their models counts, and what hermes knows is there when they say nothing. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { runInProcess } from "../support/command-line.ts";
import { startModelService } from "../support/model-service.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { startWireServer } from "../support/wire-server.ts";

// Other tests may keep the machine busy.
setDefaultTimeout(60_000);

const key = "sk-0123456789abcdef";

async function listed(variables: Readonly<Record<string, string>>, ...flags: readonly string[]) {
	using home = temporaryFolder();
	const { stdout, stderr } = await runInProcess(["model", "--json", ...flags], home.path, variables);
	const choices: readonly { readonly provider: string; readonly model: string }[] = JSON.parse(stdout);
	return { models: choices.map(({ provider, model }) => `${provider} ${model}`), stderr };
}

describe("hermes model", () => {
	test("lists what the service has now: what is known of it first, nothing that answers no questions", async () => {
		const models = ["zeta-1", "text-embedding-3", "deepseek-flash", "gpt-image-1"];
		await using service = startModelService({ key, models });
		const variables = { DEEPSEEK_API_KEY: key, DEEPSEEK_BASE_URL: service.url };
		expect(await listed(variables, "--provider", "deepseek")).toEqual({
			models: ["deepseek deepseek-flash", "deepseek zeta-1"],
			stderr: "",
		});
	});

	test("lists the user's own endpoint with its key, which goes nowhere else", async () => {
		await using service = startModelService({ key, models: ["own-1"] });
		const variables = { OPENAI_BASE_URL: service.url, OPENAI_API_KEY: key };
		expect((await listed(variables, "--provider", "custom")).models).toContain("custom own-1");
	});

	test("follows no redirect, so that the key stays with its host", async () => {
		await using elsewhere = startModelService({ key, models: ["stolen-1"] });
		const away = { status: 307, headers: { location: `${elsewhere.url}/models` }, pieces: [] };
		await using service = startWireServer(away);
		const variables = { DEEPSEEK_API_KEY: key, DEEPSEEK_BASE_URL: service.url };
		const { models } = await listed(variables, "--provider", "deepseek");
		expect([models.includes("deepseek stolen-1"), models.includes("deepseek deepseek-flash")]).toEqual([false, true]);
		expect(service.seen.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${key}`]);
	});

	test("lists what hermes knows when the service refuses the key or does not answer, and with --offline at once", async () => {
		await using service = startModelService({ key, models: ["zeta-1"] });
		const refused = { DEEPSEEK_API_KEY: "sk-another-key-1", DEEPSEEK_BASE_URL: service.url };
		const gone = { DEEPSEEK_API_KEY: key, DEEPSEEK_BASE_URL: "http://127.0.0.1:1/v1" };
		const lists = await Promise.all([
			listed(refused, "--provider", "deepseek"),
			listed(gone, "--provider", "deepseek"),
			listed(gone, "--provider", "deepseek", "--offline"),
		]);
		for (const { models } of lists) expect(models).toContain("deepseek deepseek-v4-pro");
		expect(lists.map(({ stderr }) => stderr)).toEqual([
			"hermes: deepseek is listed as it is known, because it refuses the key (401)\n",
			expect.stringMatching(/^hermes: deepseek is listed as it is known, because .*\n$/),
			"",
		]);
	});
});
