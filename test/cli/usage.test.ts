/** hermes usage: what people and scripts learn of tokens and money. */

import { Database } from "bun:sqlite";
import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "../../lib/store/database.ts";
import { runInProcess } from "../support/command-line.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Other tests may keep the machine busy.
setDefaultTimeout(60_000);

const used = (inputTokens: number) => ({
	inputTokens,
	outputTokens: 10,
	cacheReadTokens: 300,
	cacheWriteTokens: 0,
	reasoningTokens: 2,
});

/** A home with two models: one whose price is known, one whose is not; and a session of which only sums are known. */
function homeWithCalls() {
	const home = temporaryFolder();
	mkdirSync(join(home.path, ".hermes"));
	using store = openStore(join(home.path, ".hermes/state.db"));
	const yearAgo = Date.now() / 1000 - 365 * 86_400;
	store.createSession({ id: "a", source: "cli", model: "big", provider: "openai" });
	store.addUsage("a", used(100), { costUsd: 0.5 });
	store.addUsage("a", used(100), { costUsd: 0.25, task: "compression" });
	store.addUsage("a", used(50), { model: "small", provider: "custom" });
	store.createSession({ id: "old", source: "cli", model: "big", provider: "openai", startedAt: yearAgo });
	store.addUsage("old", used(1_000), { costUsd: 2 });
	using database = new Database(join(home.path, ".hermes/state.db"));
	database.run("DELETE FROM model_calls WHERE session_id = 'old'");
	return home;
}

test("hermes usage shows what each model has used, and all of them", async () => {
	using home = homeWithCalls();
	const { stdout, exitCode } = await runInProcess(["usage"], home.path);
	expect({ rows: stdout.split(/\n+/).map((line) => line.trim().split(/ {2,}/)), exitCode }).toEqual({
		rows: [
			["calls", "input", "cached", "output", "cost"],
			["big (openai)", "3", "2,100", "43%", "30", "$2.75"],
			["small (custom)", "1", "350", "86%", "10", "-"],
			["all, in 2 sessions", "4", "2,450", "49%", "40", "$2.75+"],
			["calls", "input", "cached", "output", "cost"],
			["conversation", "3", "2,050", "44%", "30", "$2.50+"],
			["compression", "1", "400", "75%", "10", "$0.2500"],
			["+ the price of some calls is not known"],
			[""],
		],
		exitCode: 0,
	});
});

test("hermes usage --days counts the last days only, and --json says all of it", async () => {
	using home = homeWithCalls();
	const { stdout } = await runInProcess(["usage", "--days", "2", "--json"], home.path);
	const { days, ...rest } = JSON.parse(stdout);
	const big = {
		calls: 2,
		input_tokens: 200,
		cache_read_tokens: 600,
		cache_write_tokens: 0,
		output_tokens: 20,
		reasoning_tokens: 4,
		cost_usd: 0.75,
		unpriced_calls: 0,
	};
	expect(rest).toEqual({
		sessions: 1,
		total: {
			...big,
			calls: 3,
			input_tokens: 250,
			cache_read_tokens: 900,
			output_tokens: 30,
			reasoning_tokens: 6,
			unpriced_calls: 1,
		},
		tasks: [
			{ task: "conversation", ...big, input_tokens: 150, cost_usd: 0.5, unpriced_calls: 1 },
			{
				...{ task: "compression", ...big, calls: 1, input_tokens: 100, cache_read_tokens: 300, output_tokens: 10 },
				...{ reasoning_tokens: 2, cost_usd: 0.25 },
			},
		],
		models: [
			{ provider: "openai", model: "big", ...big },
			{
				provider: "custom",
				model: "small",
				...{ calls: 1, input_tokens: 50, cache_read_tokens: 300, cache_write_tokens: 0 },
				...{ output_tokens: 10, reasoning_tokens: 2, cost_usd: 0, unpriced_calls: 1 },
			},
		],
	});
	expect(days.length).toBeGreaterThan(0);
	const all = JSON.parse((await runInProcess(["usage", "--json"], home.path)).stdout);
	expect(all.days[0]).toMatchObject({ day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), cost_usd: 2 });
});

test("hermes usage without sessions says so and makes no files", async () => {
	using home = temporaryFolder();
	expect(await runInProcess(["usage"], home.path)).toEqual({
		stdout: "No model has been asked yet\n",
		stderr: "",
		exitCode: 0,
	});
});
