/** What config.yaml says about the loop, seen from outside. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ScriptedAnswer, startOpenAiServer } from "../support/openai-server.ts";
import { runHermes } from "../support/run-hermes.ts";
import { ask as askTape, calls, homeWith } from "../support/taped-agents.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Each test starts processes, and other tests may keep the machine busy.
setDefaultTimeout(60_000);

const fails: ScriptedAnswer = { toolCalls: [{ name: "terminal", arguments: '{"command":"false"}' }] };

/** Runs one question with `config` in config.yaml; `URL` in it is the second server. */
async function ask(config: string, answers: readonly ScriptedAnswer[], others: readonly ScriptedAnswer[] = []) {
	using home = temporaryFolder();
	await using server = startOpenAiServer(answers);
	await using second = startOpenAiServer(others);
	const path = join(home.path, ".hermes", "config.yaml");
	const written = config.replace("URL", second.url);
	mkdirSync(join(home.path, ".hermes"));
	writeFileSync(path, written);
	const args = ["chat", "-q", "Go", "--yolo", "-m", "m", "--base-url", server.url, "--output", "json"];
	const env = { OPENAI_API_KEY: "sk-of-the-first-server-0123456789" };
	const { stdout, exitCode, stderr } = await runHermes(args, { home: home.path, env });
	return {
		result: JSON.parse(stdout),
		exitCode,
		stderr,
		requests: server.requests,
		others: second.requests,
		isKept: readFileSync(path, "utf8") === written,
	};
}

describe.concurrent("hermes chat -q", () => {
	test("asks the models of fallback_providers when its own cannot answer", async () => {
		const config = `fallback_providers:
  - {provider: nobody, model: none}
  - {model: incomplete}
  - {provider: custom, model: other, base_url: URL, key_env: OTHER_KEY}
`;
		const { result, others, exitCode } = await ask(config, [{ fault: "402" }], [{ text: "I can." }]);
		expect({ exitCode, text: result.text, by: result.answered_by }).toEqual({
			exitCode: 0,
			text: "I can.",
			by: { provider: "custom", model: "other" },
		});
		// The key of the first server is not sent to another in the place of one that is named and not there.
		expect(others.map(({ body, authorization }) => [body.model, authorization])).toEqual([["other", null]]);
	});

	test("counts money at the price that config.yaml names, and stops at what a session may cost", async () => {
		const usage = { prompt_tokens: 100_000, completion_tokens: 1_000, total_tokens: 101_000 };
		const config = "model: {price: {input: 2, output: 10}}\nagent: {max_cost_usd: 0.3}\n";
		const answers = [
			{ ...fails, usage },
			{ ...fails, usage },
			{ ...fails, usage },
		];
		const { result, requests } = await ask(config, answers);
		expect({ reason: result.reason, cost: result.cost_usd, requests: requests.length }).toEqual({
			reason: "cost_limit",
			cost: 0.42,
			requests: 2,
		});
	});

	test("names the files that a turn failed to change, although the model says that it did", async () => {
		const path = "/nowhere/at/all.txt";
		const edit = JSON.stringify({ path, old_string: "a", new_string: "b" });
		const answers = [{ toolCalls: [{ name: "patch", arguments: edit }] }, { text: "I changed it." }];
		const { result } = await ask("", answers);
		expect([result.text, result.failed_edits]).toEqual(["I changed it.", [path]]);
	});

	test("insists on tools in the prompt of models that agent.tool_use_enforcement names", async () => {
		const prompts = await Promise.all(
			["[m]", "[other]"].map(async (names) => {
				const { requests } = await ask(`agent: {tool_use_enforcement: ${names}}`, [{ text: "ok" }]);
				return JSON.stringify(requests[0]?.body.messages);
			}),
		);
		expect(prompts.map((prompt) => prompt.includes("Do not announce a step"))).toEqual([true, false]);
	});

	test("pays for no summary when the session has used up what it may", async () => {
		const usage = { prompt_tokens: 130_000, completion_tokens: 5, total_tokens: 130_005 };
		const answers = [fails, fails, fails, { ...fails, usage }, fails];
		const { result, requests } = await ask("agent: {max_total_tokens: 1000}", answers);
		expect({ reason: result.reason, requests: requests.length }).toEqual({ reason: "token_limit", requests: 4 });
	});

	test("stops at agent.max_total_tokens", async () => {
		const { result, requests, exitCode } = await ask("agent: {max_total_tokens: 50}", [fails]);
		expect({ exitCode, reason: result.reason, requests: requests.length }).toEqual({
			exitCode: 1,
			reason: "token_limit",
			requests: 2,
		});
		expect(result.error).toBe("Cannot go on with the session: it has used 54 of 50 tokens (agent.max_total_tokens)");
	});

	test("stops a model that repeats what fails, where tool_loop_guardrails says so", async () => {
		const config = "tool_loop_guardrails: {hard_stop_enabled: true, hard_stop_after: {exact_failure: 3}}";
		const { result, requests } = await ask(config, [fails]);
		expect({ reason: result.reason, requests: requests.length }).toEqual({ reason: "tool_loop", requests: 3 });
	});

	test("ends a turn in which nothing happens for agent.idle_timeout, and refuses a time that is none", async () => {
		const tape = (settings: string) => homeWith([calls(["terminal", { command: "sleep 60" }])], settings);
		using idle = tape("agent: {idle_timeout: 1}\n");
		using wrong = tape("agent: {idle_timeout: -1}\n");
		const [ended, refused] = await Promise.all([askTape(idle, "--yolo", "--output", "json"), askTape(wrong)]);
		const { reason, error } = JSON.parse(ended.stdout);
		expect({ exitCode: ended.exitCode, reason, error }).toEqual({
			exitCode: 1,
			reason: "idle",
			error: "Cannot go on: nothing has happened for 1 s",
		});
		expect(refused.stderr).toContain("agent.idle_timeout");
		expect([refused.exitCode, refused.stdout]).toEqual([1, ""]);
	});

	test("tries as often as agent.api_max_retries says", async () => {
		const { result, requests } = await ask("agent: {api_max_retries: 1}", [{ fault: "500" }]);
		expect({ ended: result.ended, requests: requests.length }).toEqual({ ended: "failed", requests: 1 });
	});

	test.serial("asks the model at once: the first request of a new home is no matter of seconds (R170)", async () => {
		using home = temporaryFolder();
		await using server = startOpenAiServer([{ text: "hi" }]);
		const args = ["chat", "-q", "hi", "-m", "m", "--base-url", server.url];
		const untilAsked = async () => {
			const started = performance.now();
			const before = server.requests.length;
			const running = runHermes(args, { home: home.path });
			while (server.requests.length === before) await Bun.sleep(5);
			const took = performance.now() - started;
			expect((await running).exitCode).toBe(0);
			return took;
		};
		const first = await untilAsked();
		// A home that is not new any more shows how busy the machine is.
		expect(first).toBeLessThan(5 * (await untilAsked()) + 2_000);
	});

	test("takes a file of any older layout as it is: no toolset is renamed, nothing is written (R137)", async () => {
		const config = "# mine\n_config_version: 3\ntoolsets: [terminal, todo]\nplatform_toolsets: {telegram: [web]}\n";
		const { requests, isKept } = await ask(config, [{ text: "ok" }]);
		const tools = (requests[0]?.body.tools ?? []).map((tool) => (tool as { function: { name: string } }).function.name);
		expect({ tools, isKept }).toEqual({ tools: ["process", "terminal", "todo"], isKept: true });
	});
});
