/** The settings of a run: config.yaml, .env and environment reach the model, the place and the log. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startOpenAiServer } from "../support/openai-server.ts";
import { runHermes } from "../support/run-hermes.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Each test starts processes, and other tests may keep the machine busy.
setDefaultTimeout(60_000);

/** A home with a config.yaml and an .env. */
function configuredHome(config: string, env = "") {
	const home = temporaryFolder();
	mkdirSync(join(home.path, ".hermes"), { mode: 0o700 });
	writeFileSync(join(home.path, ".hermes/config.yaml"), config);
	writeFileSync(join(home.path, ".hermes/.env"), env, { mode: 0o600 });
	return home;
}

describe.concurrent("settings of a run", () => {
	test("hermes -z asks the model of config.yaml with the key of .env, and a command does not see the key", async () => {
		await using server = startOpenAiServer([
			{ toolCalls: [{ name: "terminal", arguments: JSON.stringify({ command: "env | grep -c planted-key; pwd" }) }] },
			{ text: "done" },
		]);
		using home = configuredHome(
			`model: {default: configured-model, base_url: "${server.url}"}\nterminal: {cwd: /usr}\n`,
			"OPENAI_API_KEY=planted-key-0123456789abcdef\n",
		);
		const { stdout, exitCode } = await runHermes(["-z", "hi", "--yolo"], { home: home.path });
		expect({ stdout, exitCode }).toEqual({ stdout: "done\n", exitCode: 0 });
		const [first, second] = server.requests;
		expect(JSON.stringify(first)).toContain("configured-model");
		expect(JSON.stringify(second)).toContain("0\\\\n/usr");
		const log = readFileSync(join(home.path, ".hermes/logs/agent.log"), "utf8");
		expect(log).toContain("turn answered after 2 model calls");
		expect(log).not.toContain("planted-key");
	});

	test("a flag beats a variable, and a variable beats config.yaml", async () => {
		await using server = startOpenAiServer([{ text: "one" }, { text: "two" }]);
		using home = configuredHome(`model: {default: from-file, base_url: "${server.url}"}\n`);
		const env = { HERMES_INFERENCE_MODEL: "from-variable" };
		await runHermes(["-z", "hi"], { home: home.path, env });
		await runHermes(["-z", "hi", "-m", "from-flag"], { home: home.path, env });
		expect(server.requests.map((request) => /from-\w+/.exec(JSON.stringify(request))?.[0])).toEqual([
			"from-variable",
			"from-flag",
		]);
	});

	test("a broken config.yaml stops the run with line and column", async () => {
		using home = configuredHome("model:\n  default: [\n");
		const { stderr, exitCode } = await runHermes(["exec", "true"], { home: home.path });
		expect(exitCode).toBe(1);
		expect(stderr).toMatch(/^hermes: .*config\.yaml.*line \d+.*\n$/);
	});

	test("an unknown key is one line with the nearest name, and stops nothing", async () => {
		using home = configuredHome("terminal: {bakend: local}\n");
		const { stdout, stderr, exitCode } = await runHermes(["exec", "echo hi"], { home: home.path });
		expect({ stdout, exitCode }).toEqual({ stdout: "hi\n", exitCode: 0 });
		expect(stderr).toContain("terminal.backend");
	});

	test("terminal.backend that does not exist is refused with the nearest name, never run here", async () => {
		using home = configuredHome("terminal: {backend: locl}\n");
		const { stdout, stderr, exitCode } = await runHermes(["exec", "echo hi"], { home: home.path });
		expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 2 });
		expect(stderr).toContain('did you mean "local"?');
	});
});
