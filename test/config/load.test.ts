/** Settings from flag, environment, file and default, and files that cannot be used. */

import { describe, expect, test } from "bun:test";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { ConfigInvalid } from "../../lib/config/config-invalid.ts";
import { describeOrigin, type LoadOptions, loadConfig } from "../../lib/config/load.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** Loads what `yaml` and `env` say in a home of their own. */
async function load(yaml?: string | Uint8Array, { env, ...options }: Partial<LoadOptions> & { env?: string } = {}) {
	using home = temporaryFolder();
	if (yaml !== undefined) writeFileSync(join(home.path, "config.yaml"), yaml);
	if (env !== undefined) writeFileSync(join(home.path, ".env"), env, { mode: 0o600 });
	return await loadConfig({ home: home.path, variables: {}, ...options });
}

async function refusal(...given: Parameters<typeof load>): Promise<string> {
	try {
		await load(...given);
	} catch (error) {
		if (error instanceof ConfigInvalid)
			return error.message.replace(/"[^"]*\/(config\.yaml)"|\S*\/(?=config\.yaml)/g, "$1");
		throw error;
	}
	return "accepted";
}

describe("loadConfig()", () => {
	test("loadConfig() reads a whole configuration of the original without a warning", async () => {
		const source = readFileSync(join(import.meta.dir, "../fixtures/config/config.yaml"), "utf8");
		const config = await load(source);
		expect(config.warnings).toEqual([]);
		expect<unknown>({
			model: config.get("model.default"),
			context: config.get("model.context_length"),
			turns: config.get("agent.max_turns"),
			drain: config.get("agent.restart_drain_timeout"),
			timeout: config.get("terminal.timeout"),
			persistent: config.get("terminal.persistent_shell"),
			mount: config.get("terminal.docker_mount_cwd_to_workspace"),
			progress: config.get("display.tool_progress"),
			footer: config.get("display.runtime_footer"),
			approvals: config.get("approvals.mode"),
			delay: config.get("human_delay.mode"),
			vision: config.get("auxiliary.vision.timeout"),
			jobs: config.get("cron.max_parallel_jobs"),
			platforms: config.get("platforms"),
		}).toEqual({
			model: "anthropic/claude-opus-4.6",
			context: 200_000,
			turns: 60,
			drain: 10,
			timeout: 180,
			persistent: true,
			mount: false,
			progress: "off",
			footer: false,
			approvals: "off",
			delay: "off",
			vision: 120,
			jobs: null,
			// More digits than a number can hold: they stay digits.
			platforms: { telegram: { enabled: true, home_channel: { chat_id: "123456789012345678", name: "home" } } },
		});
	});

	test.each([
		["true", "auto"],
		["false", "false"],
	])("loadConfig() reads tool_search: %s as the map that it is short for", async (said, enabled) => {
		const config = await load(`tools:\n  tool_search: ${said}\n`);
		expect({ enabled: config.get("tools.tool_search.enabled"), warnings: config.warnings }).toEqual({
			enabled: enabled as never,
			warnings: [],
		});
	});

	test("loadConfig() without any file gives the defaults", async () => {
		const config = await load();
		expect([config.get("agent.max_turns"), config.get("terminal.backend"), config.warnings]).toEqual([90, "local", []]);
	});

	test("loadConfig() takes flag before environment before file before default, and says which", async () => {
		const yaml = "model:\n  default: file\n  provider: file\n  base_url: http://file\n";
		const config = await load(yaml, {
			variables: { HERMES_INFERENCE_MODEL: "shell", HERMES_INFERENCE_PROVIDER: "shell", OPENAI_BASE_URL: "" },
			env: "HERMES_INFERENCE_PROVIDER=dotenv\n",
			flags: { "model.default": "flag", "model.base_url": undefined },
		});
		const shown = ["model.default", "model.provider", "model.base_url", "agent.max_turns"].map((path) => {
			const setting = config.find(path);
			return setting && [setting.value, describeOrigin(setting.origin)];
		});
		expect(shown).toEqual([
			["flag", "flag"],
			["dotenv", ".env HERMES_INFERENCE_PROVIDER"],
			["http://file", "config.yaml:4"],
			[90, "default"],
		]);
	});

	test("loadConfig() prefers variables to the file", async () => {
		const variables = { TERMINAL_ENV: "local", HERMES_MAX_ITERATIONS: "5", TERMINAL_TIMEOUT: "7" };
		const config = await load("terminal: {backend: docker}\nmax_turns: 60\n", { variables });
		expect([config.get("terminal.backend"), config.get("agent.max_turns"), config.get("terminal.timeout")]).toEqual([
			"local",
			5,
			7,
		]);
	});

	test("loadConfig() reads YAML as version 1.1, with y and n as text as the original's parser has it", async () => {
		const config = await load("hooks: {list: [off, yes, 012, 1_000, 0x1F, y, 2001-12-14, '012', 1:30]}\n");
		expect(config.get("hooks")).toEqual({ list: [false, true, 10, 1000, 31, "y", "2001-12-14", "012", 90] });
	});

	test("loadConfig() fills in variables and leaves what is not set as it is written", async () => {
		const named = (name: string) => `$\{${name}}`;
		const model = `model: {default: 'x-${named("VERSION")}', base_url: '${named("NOWHERE")}/v1'}`;
		const yaml = `${model}\nagent: {max_turns: '${named("TURNS")}'}\n`;
		const config = await load(yaml, { variables: { VERSION: "2", TURNS: "7" } });
		expect([config.get("model.default"), config.get("model.base_url"), config.get("agent.max_turns")]).toEqual([
			"x-2",
			`${named("NOWHERE")}/v1`,
			7,
		]);
	});

	test("loadConfig() merges maps over defaults and replaces lists", async () => {
		const config = await load("display: {platforms: {telegram: {compact: true}}}\ntoolsets: [web]\n");
		expect<unknown>([config.get("display.platforms"), config.get("toolsets")]).toEqual([
			{ telegram: { streaming: true, compact: true }, discord: { streaming: false } },
			["web"],
		]);
	});

	test.each([
		["mkdir", "it is a folder"],
		["mkfifo", "it is no plain file"],
	])("loadConfig() refuses a config.yaml made with %s at once", async (make, state) => {
		using home = temporaryFolder();
		const path = join(home.path, "config.yaml");
		expect(Bun.spawnSync([make, path]).exitCode).toBe(0);
		expect(loadConfig({ home: home.path, variables: {} })).rejects.toThrow(`Cannot read "${path}": ${state}`);
	});

	test("loadConfig() warns of an unknown key with the nearest name and keeps going", async () => {
		const config = await load(
			"agent:\n  max_turn: 3\naproval: {}\nagent.max_turns: 3\nzzzzzzzzz: 1\nsectoin:\n  a: 1\napprovals:\n  lists:\n    - 1\n",
		);
		expect(config.warnings.map((warning) => warning.replace(/.*config/, "config"))).toEqual([
			"config.yaml:2:3: unknown key agent.max_turn; did you mean agent.max_turns?",
			"config.yaml:3:1: unknown key aproval; did you mean approvals?",
			"config.yaml:4:1: unknown key agent.max_turns; did you mean agent.max_turns?",
			"config.yaml:5:1: unknown key zzzzzzzzz",
			"config.yaml:6:1: unknown key sectoin",
			"config.yaml:9:3: unknown key approvals.lists; did you mean approvals.mode?",
		]);
	});

	test.each([
		["a: [1\nb: 2\n", "Cannot read config.yaml: line 2, column 1: Flow sequence"],
		["agent:\n\tmax_turns: 1\n", "Cannot read config.yaml: line 2, column 1: Tabs are not allowed as indentation"],
		["timezone: a\ntimezone: b\n", "Cannot read config.yaml: line 2, column 1: Map keys must be unique"],
		["- a\n", "Cannot read config.yaml: line 1, column 1: expected keys and values, not a list"],
		["just text\n", 'Cannot read config.yaml: line 1, column 1: expected keys and values, not "just text"'],
		["a: 1\n---\nb: 2\n", "Cannot read config.yaml: line 2, column 1: a second document begins; the file must be one"],
		["agent: 5\n", "Cannot read config.yaml: line 1, column 8: agent must be a map of keys, not 5"],
		["x: *nowhere\n", "Cannot read config.yaml: "],
		[new Uint8Array([0x61, 0xff, 0xfe]), "Cannot read config.yaml: it is not UTF-8"],
		[
			"agent:\n  max_turns: lots\n",
			'Cannot use config.yaml:2:14: agent.max_turns must be a whole number of at least 1, not "lots"',
		],
		[
			"agent: {max_turns: 0}\n",
			"Cannot use config.yaml:1:20: agent.max_turns must be a whole number of at least 1, not 0",
		],
		[
			"agent: {max_turns: [1]}\n",
			"Cannot use config.yaml:1:20: agent.max_turns must be a whole number of at least 1, not a list",
		],
		[
			"logging: {level: LOUD}\n",
			'Cannot use config.yaml:1:18: logging.level must be one of INFO, DEBUG, WARNING, ERROR, CRITICAL, not "LOUD"',
		],
	])("loadConfig() refuses %p and says where", async (yaml, message) => {
		expect(await refusal(yaml)).toStartWith(message);
	});

	test("loadConfig() names the variable whose value cannot be used", async () => {
		expect(await refusal("", { variables: { TERMINAL_TIMEOUT: "soon" } })).toBe(
			'Cannot use TERMINAL_TIMEOUT="soon": expected a whole number of at least 1',
		);
	});

	test("loadConfig() leaves a wrong value of a key that is not used yet to its engine: no default takes its place", async () => {
		const config = await load("session_reset: {mode: dayly}\n");
		expect(config.warnings.map((warning) => warning.replace(/.*config/, "config"))).toEqual([
			'config.yaml:1:23: session_reset.mode must be one of both, idle, daily, none, not "dayly"',
		]);
		expect(() => config.get("session_reset.mode")).toThrow(ConfigInvalid);
	});

	test("loadConfig() tells that a setting without an engine has no effect, unless it is off", async () => {
		const { warnings } = await load("smart_model_routing: {enabled: true, cheap_model: x}\n");
		expect(warnings).toEqual([expect.stringMatching(/^smart_model_routing has no effect: /)]);
		expect((await load("smart_model_routing: {enabled: false}\n")).warnings).toEqual([]);
		expect((await load("context: {engine: lcm}\n")).warnings).toEqual([expect.stringContaining("context.engine")]);
	});

	test("loadConfig() lets the variable of a plug-in's key set it, also where others go by the key", async () => {
		const schemas = [
			{ section: "terminal", plugin: "modal", config: z.object({ credential_files: z.array(z.string()) }) },
		];
		const variables = { TERMINAL_CREDENTIAL_FILES: '["token.json"]' };
		const config = await load(undefined, { schemas, variables });
		expect(config.get("terminal.credential_files")).toEqual(["token.json"]);
	});

	test("loadConfig() refuses a wrong setting of a backend only when that backend asks for it", async () => {
		const docker = z.object({ docker_cpus: z.number().default(2), docker_tag: z.string().optional() });
		const schemas = [{ section: "terminal", plugin: "docker", config: docker }];
		const good = await load("terminal: {docker_cpus: 4}\n", { schemas });
		expect(good.warnings).toEqual([]);
		expect(docker.parse(good.section("terminal", Object.keys(docker.shape)))).toEqual({ docker_cpus: 4 });
		const stale = await load(undefined, { schemas, variables: { TERMINAL_DOCKER_CPUS: "many" } });
		expect(stale.get("terminal.backend")).toBe("local");
		expect(() => stale.section("terminal", ["docker_cpus"])).toThrow(
			'Cannot use TERMINAL_DOCKER_CPUS="many": expected a number',
		);
	});

	test("loadConfig() knows every credential by its name, from the environment, .env and the file", async () => {
		const yaml = "model: {api_key: from-file}\nmcp_servers: {x: {env: {X_TOKEN: from-map, MAX_TOKENS: '5'}}}\n";
		const config = await load(yaml, {
			variables: { FOO_API_KEY: "from-shell", PATH: "/bin" },
			env: "DB_PASSWORD='from dotenv'\n",
		});
		expect([...config.secrets].sort()).toEqual(["from dotenv", "from-file", "from-map", "from-shell"]);
	});

	test("loadConfig() warns of an .env that other users can read", async () => {
		using home = temporaryFolder();
		const path = join(home.path, ".env");
		writeFileSync(path, "A=1\n");
		chmodSync(path, 0o644);
		const { warnings } = await loadConfig({ home: home.path, variables: {} });
		expect(warnings).toEqual([`${path}: other users can read it; run chmod 600 ${path}`]);
	});
});
