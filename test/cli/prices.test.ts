/** What a conversation is said to cost, where the service does not say so itself. */

import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runHermes } from "../support/run-hermes.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { startWireServer } from "../support/wire-server.ts";

// Each test starts a process, and other tests may keep the machine busy.
setDefaultTimeout(60_000);

const stream = join(import.meta.dir, "../fixtures/wires/anthropic-messages/text.sse");

async function ask(ttl: string) {
	using home = temporaryFolder();
	await using server = startWireServer({ pieces: [await Bun.file(stream).text()] });
	mkdirSync(join(home.path, ".hermes"));
	writeFileSync(join(home.path, ".hermes/config.yaml"), `prompt_caching: {cache_ttl: ${ttl}}\n`);
	const args = ["chat", "-q", "hi", "--provider", "anthropic", "-m", "claude-sonnet-4.6", "--output", "json"];
	const env = { ANTHROPIC_API_KEY: "sk-1234567890", ANTHROPIC_BASE_URL: server.url };
	const { stdout } = await runHermes(args, { home: home.path, env });
	const { usage, cost_usd } = JSON.parse(stdout);
	return { usage, cost_usd, asksForAnHour: server.seen[0]?.text.includes('"ttl":"1h"') };
}

test.concurrent.each([
	{ ttl: "5m", write: 3.75, asksForAnHour: false },
	{ ttl: "1h", write: 6, asksForAnHour: true },
])(
	"a conversation is counted at the price of the model and of a cache for $ttl",
	async ({ ttl, write, asksForAnHour }) => {
		const { usage, cost_usd, ...rest } = await ask(ttl);
		const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
		expect(cacheWriteTokens).toBeGreaterThan(0);
		const micro = inputTokens * 3 + outputTokens * 15 + cacheReadTokens * 0.3 + cacheWriteTokens * write;
		expect({ cost_usd, ...rest }).toEqual({ cost_usd: Math.ceil(micro - 1e-9) / 1e6, asksForAnHour });
	},
);
