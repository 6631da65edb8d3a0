/** What the settings add to requests, as the service sees it. */

import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openProvider } from "../../lib/cli/runtime/open-provider.ts";
import { openSettings } from "../../lib/cli/runtime/settings.ts";
import { cliInProcess } from "../support/command-line.ts";
import { startOpenAiServer } from "../support/openai-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Other tests may keep the machine busy.
setDefaultTimeout(60_000);

/** The body of one question to `provider`, whose own fields are `extraBody`. */
async function bodyFor(provider: string, extraBody?: Readonly<Record<string, unknown>>) {
	await using server = startOpenAiServer([{ text: "hi" }]);
	using home = temporaryFolder();
	mkdirSync(join(home.path, ".hermes"));
	writeFileSync(
		join(home.path, ".hermes/config.yaml"),
		`provider_routing: {only: [one, two], sort: price}
providers:
  openrouter: {extra_body: {transforms: []}}
  deepseek: {extra_body: {top_k: 5, temperature: 1}}
`,
	);
	const variables = {
		...{ OPENROUTER_BASE_URL: server.url, OPENROUTER_API_KEY: "sk-or-v1-0123" },
		...{ DEEPSEEK_BASE_URL: server.url, DEEPSEEK_API_KEY: "sk-0123456789" },
	};
	const { cli } = cliInProcess(home.path, variables);
	const config = await openSettings(cli, { provider, model: "m" });
	const { client } = await openProvider(cli, { config });
	const messages = [{ role: "user" as const, content: "hi" }];
	const request = { model: "m", messages, tools: [], ...(extraBody !== undefined && { extraBody }) };
	await Array.fromAsync(client.complete(request, new AbortController().signal));
	return server.requests[0]?.body as unknown as Readonly<Record<string, unknown>>;
}

test("provider_routing is for OpenRouter alone, and providers.NAME.extra_body for the one that it names", async () => {
	const [routed, other] = await Promise.all([bodyFor("openrouter"), bodyFor("deepseek")]);
	expect(routed).toMatchObject({ provider: { only: ["one", "two"], sort: "price" }, transforms: [], stream: true });
	expect(other).toMatchObject({ top_k: 5, temperature: 1 });
	expect([routed.top_k, other.provider, other.transforms]).toEqual([undefined, undefined, undefined]);
});

test("the fields of a side task take the place of those of its provider", async () => {
	expect(await bodyFor("deepseek", { temperature: 0 })).toMatchObject({ top_k: 5, temperature: 0 });
});
