/** `hermes config` as its users run it. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runInProcess } from "../support/command-line.ts";
import { runHermes } from "../support/run-hermes.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Each test starts processes, and other tests may keep the machine busy.
setDefaultTimeout(60_000);

/** A home whose config.yaml and .env hold what is given. */
function homeWith(files: { readonly yaml?: string; readonly env?: string }) {
	const folder = temporaryFolder();
	const hermesHome = join(folder.path, ".hermes");
	mkdirSync(hermesHome, { mode: 0o700 });
	if (files.yaml !== undefined) writeFileSync(join(hermesHome, "config.yaml"), files.yaml);
	if (files.env !== undefined) writeFileSync(join(hermesHome, ".env"), files.env, { mode: 0o600 });
	return { ...folder, home: folder.path, yaml: join(hermesHome, "config.yaml"), dotenv: join(hermesHome, ".env") };
}

/** The folder's name is another one in every run. */
const bare = (text: string) => text.replace(/\S*\/\.hermes\//g, "");

describe("hermes config", () => {
	test("hermes config set and get keep the comments of the file and say where a value comes from", async () => {
		using at = homeWith({ yaml: "# mine\nagent: # the loop\n  max_turns: 5\n" });
		const set = await runHermes(["config", "set", "agent.max_turns", "12"], at);
		expect([bare(set.stdout), set.stderr, set.exitCode]).toEqual(["agent.max_turns is set in config.yaml\n", "", 0]);
		expect(readFileSync(at.yaml, "utf8")).toBe("# mine\nagent: # the loop\n  max_turns: 12\n");
		const get = await runHermes(["config", "get", "agent.max_turns", "--json", "--origin"], at);
		expect(JSON.parse(get.stdout)).toEqual({ key: "agent.max_turns", value: 12, origin: "config.yaml:3" });
	});

	test("hermes config set reads a secret from standard input and puts it into .env alone", async () => {
		using at = homeWith({});
		const { exitCode } = await runHermes(["config", "set", "OPENROUTER_API_KEY", "-"], {
			...at,
			stdin: "sk-or-12345\n",
		});
		expect([exitCode, readFileSync(at.dotenv, "utf8"), existsSync(at.yaml)]).toEqual([
			0,
			"OPENROUTER_API_KEY=sk-or-12345\n",
			false,
		]);
		expect(statSync(at.dotenv).mode & 0o777).toBe(0o600);
	});

	test("hermes config get shows what config set wrote: an unknown key by force, and one below a key with free names", async () => {
		using at = homeWith({});
		const run = async (...args: string[]) => {
			const { stdout, exitCode } = await runInProcess(["config", ...args], at.home);
			return [bare(stdout), exitCode];
		};
		await run("set", "nosuch.key", "x", "--force");
		await run("set", "mcp_servers.gh.command", "npx");
		await run("set", "mcp_servers.gh.env.GH_TOKEN", "secret-1");
		expect({
			key: await run("get", "nosuch.key", "--origin"),
			section: await run("get", "nosuch", "--json"),
			below: await run("get", "mcp_servers.gh.command"),
			secret: await run("get", "mcp_servers.gh.env.GH_TOKEN"),
		}).toEqual({
			key: ["x  (config.yaml:2)\n", 0],
			section: ['{"key":"x"}\n', 0],
			below: ["npx\n", 0],
			secret: ["***\n", 0],
		});
	});

	test("hermes config get says of a variable whether it is set and where, never its value", async () => {
		using at = homeWith({ env: "OPENAI_API_KEY=sk-secret-in-file-1\nEMPTY_TOKEN=\n" });
		const run = async (...args: string[]) => {
			const variables = { GH_TOKEN: "secret-in-environment", OPENAI_API_KEY: "other" };
			const { stdout, stderr, exitCode } = await runInProcess(["config", "get", ...args], at.home, variables);
			return [bare(stdout), bare(stderr), exitCode];
		};
		expect({
			inFile: await run("OPENAI_API_KEY"),
			inEnvironment: await run("GH_TOKEN"),
			json: await run("GH_TOKEN", "--json"),
			empty: await run("EMPTY_TOKEN"),
			missing: await run("NO_SUCH_KEY", "--json"),
		}).toEqual({
			inFile: ["OPENAI_API_KEY is set in .env\n", "", 0],
			inEnvironment: ["GH_TOKEN is set in the environment\n", "", 0],
			json: ['{"key":"GH_TOKEN","set":true,"origin":"environment"}\n', "", 0],
			empty: ["EMPTY_TOKEN is not set in .env or the environment\n", "", 1],
			missing: ['{"key":"NO_SUCH_KEY","set":false}\n', "", 1],
		});
	});

	test.each([
		[
			["set", "agent.max_turns", "lots"],
			'hermes: Cannot set agent.max_turns to "lots": expected a whole number of at least 1\n',
			1,
		],
		[["set", "PATH", "/tmp"], 'hermes: Cannot set "PATH": it decides which programs run\n', 1],
		[
			["get", "agent.max_turn"],
			'hermes: Cannot find "agent.max_turn": unknown key; did you mean agent.max_turns?\n',
			1,
		],
		[["edit"], "hermes: Cannot edit config.yaml: this is no terminal; set EDITOR, or use hermes config set\n", 1],
	])("hermes config %j is refused in one line", async (args, stderr, exitCode) => {
		using at = homeWith({});
		expect(await runHermes(["config", ...args], at)).toEqual({ stdout: "", stderr, exitCode });
		expect(existsSync(at.yaml)).toBe(false);
	});

	test("hermes config show --origin tells flag from environment from file from default", async () => {
		using at = homeWith({ yaml: "terminal: {timeout: 7}\n", env: "HERMES_INFERENCE_PROVIDER=custom\n" });
		const env = { HERMES_INFERENCE_MODEL: "m" };
		const { stdout, exitCode } = await runHermes(["config", "show", "--origin", "--json"], { ...at, env });
		const rows: { key: string; value: unknown; origin: string }[] = JSON.parse(stdout);
		const wanted = ["model.default", "model.provider", "terminal.timeout", "terminal.backend"];
		expect(exitCode).toBe(0);
		expect(rows.filter(({ key }) => wanted.includes(key))).toEqual([
			{ key: "model.default", value: "m", origin: "environment HERMES_INFERENCE_MODEL" },
			{ key: "model.provider", value: "custom", origin: ".env HERMES_INFERENCE_PROVIDER" },
			{ key: "terminal.backend", value: "local", origin: "default" },
			{ key: "terminal.timeout", value: 7, origin: "config.yaml:1" },
		]);
	});

	test("hermes config check tells errors from warnings from keys that are not used yet", async () => {
		using at = homeWith({
			yaml: "model: {api_key: plain-secret-1}\nagent: {max_turn: 3}\nvoice: {auto_tts: true}\nstt: {enabled: maybe}\n",
		});
		const { stdout, exitCode } = await runHermes(["config", "check"], at);
		expect([bare(stdout), exitCode]).toEqual([
			[
				'error: config.yaml:4:16: stt.enabled must be true or false, not "maybe"',
				"warning: config.yaml:2:9: unknown key agent.max_turn; did you mean agent.max_turns?",
				"warning: model.api_key is a secret; move it to .env: hermes config set model.api_key -",
				"not used yet: voice.auto_tts",
				"not used yet: stt.enabled",
				"The configuration cannot be used as it is.",
				"",
			].join("\n"),
			1,
		]);
	});

	test("hermes config shows no key that got into a wrong place", async () => {
		const token = `ghp_${"a1B2".repeat(9)}`;
		using at = homeWith({ yaml: `terminal: {timeout: ${token}}\n` });
		for (const args of [["show"], ["check"], ["get", "terminal.timeout"], ["set", "agent.max_turns", token]]) {
			const { stdout, stderr, exitCode } = await runHermes(["config", ...args], at);
			expect([args, exitCode, `${stdout}${stderr}`.includes(token)]).toEqual([args, 1, false]);
		}
	});

	test("hermes config refuses a broken file with line and column and leaves it as it is", async () => {
		using at = homeWith({ yaml: "agent:\n\tmax_turns: 1\n" });
		for (const args of [["show"], ["get", "model"], ["set", "timezone", "UTC"]]) {
			const { stderr, exitCode } = await runHermes(["config", ...args], at);
			expect([bare(stderr), exitCode]).toEqual([
				'hermes: Cannot read config.yaml": line 2, column 1: Tabs are not allowed as indentation\n',
				1,
			]);
		}
		expect(readFileSync(at.yaml, "utf8")).toBe("agent:\n\tmax_turns: 1\n");
	});

	test("hermes config edit takes over what can be read and keeps what cannot beside it", async () => {
		using at = homeWith({ yaml: "agent: {max_turns: 5}\n" });
		const editor = join(at.home, "editor.sh");
		const write = (text: string) => {
			writeFileSync(editor, `#!/bin/sh\nprintf '${text}' > "$2"\n`);
			chmodSync(editor, 0o755);
		};
		const env = { EDITOR: `${editor} --wait` };
		write("agent: {max_turns: 6}\\n");
		expect((await runHermes(["config", "edit"], { ...at, env })).exitCode).toBe(0);
		expect(readFileSync(at.yaml, "utf8")).toBe("agent: {max_turns: 6}\n");
		write("agent: {max_turns: many}\\n");
		const { stderr, exitCode } = await runHermes(["config", "edit"], { ...at, env });
		expect([bare(stderr).split("\n")[0], exitCode]).toEqual([
			'hermes: config.edit.yaml:1:20: agent.max_turns must be a whole number of at least 1, not "many"',
			1,
		]);
		expect(readFileSync(at.yaml, "utf8")).toBe("agent: {max_turns: 6}\n");
		expect(readFileSync(join(at.home, ".hermes/config.edit.yaml"), "utf8")).toBe("agent: {max_turns: many}\n");
	});

	test("hermes config show, get and check show none of 30 planted secrets", async () => {
		const planted = Array.from({ length: 30 }, (_, index) => `planted-${index}-${"abcdefghij".repeat(2)}`);
		const [a = "", b = "", c = "", d = "", e = "", f = "", g = "", ...rest] = planted;
		const yaml = [
			`model: {default: m, base_url: "https://me:${a}@host/v1?key=${b}", api_key: ${c}}`,
			`auxiliary: {vision: {api_key: ${d}}}`,
			`platforms: {telegram: {token: ${e}, extra: {headers: {Authorization: Bearer ${f}}}}}`,
			`mcp_servers: {gh: {command: x, args: [--token, ${g}], env: {GH_TOKEN: ${rest[0]}}}, far: {url: "https://h", headers: {X-Team: ${rest.pop()}}}}`,
			`quick_commands: {x: {type: exec, command: "curl -H 'X-Api-Key: ${rest[1]}' https://h"}}`,
			`agent: {system_prompt: "use $\{FROM_ENV_TOKEN}"}`,
			`terminal: {docker_env: {DB_PASSWORD: ${rest[3]}}, sudo_password: ${rest[4]}}`,
			"",
		].join("\n");
		const others = rest.slice(5).map((secret, index) => `SERVICE_${index}_API_KEY=${secret}\n`);
		using at = homeWith({ yaml, env: `FROM_ENV_TOKEN=${rest[2]}\n${others.join("")}` });
		const env = { PERSONALITY: "x", HERMES_TIMEZONE: rest[6] ?? "" };
		for (const args of [
			["show", "--all", "--origin"],
			["show", "--all", "--json"],
			["get", "platforms"],
			["get", "mcp_servers", "--json"],
			["check"],
		]) {
			const { stdout, stderr, exitCode } = await runHermes(["config", ...args], { ...at, env });
			expect([exitCode, planted.filter((secret) => (stdout + stderr).includes(secret))]).toEqual([0, []]);
		}
	});
});

test("hermes config set says what is wrong with a HERMES_HOME that is a file", async () => {
	using folder = temporaryFolder();
	const home = join(folder.path, "file");
	writeFileSync(home, "");
	const set = await runInProcess(["config", "set", "display.skin", "mono"], folder.path, { HERMES_HOME: home });
	expect(set).toMatchObject({
		exitCode: 1,
		stderr: expect.stringContaining("it is a file, not a folder; set HERMES_HOME"),
	});
});
