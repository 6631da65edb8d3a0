/** hermes config migrate: what an older file says is said by the new one, at the places that are read now. */

import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runInProcess } from "../support/command-line.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

setDefaultTimeout(60_000);

function homeWith(config: string) {
	const folder = temporaryFolder();
	const home = join(folder.path, ".hermes");
	mkdirSync(home, { mode: 0o700 });
	const path = join(home, "config.yaml");
	writeFileSync(path, config, { mode: 0o600 });
	return {
		path: folder.path,
		text: () => readFileSync(path, "utf8"),
		backups: () => readdirSync(home).filter((name) => name.includes("before-migration")),
		read: (name: string) => readFileSync(join(home, name), "utf8"),
		[Symbol.dispose]: folder[Symbol.dispose],
	};
}

const older = `# mine
_config_version: 9
model: some-model   # the usual one
provider: custom
base_url: http://localhost:1234/v1
max_turns: 33
toolsets: [hermes-cli, web]
agent:
  prefill_messages_file: few.json
  disabled_toolsets: [delegation]
terminal:
  env_type: docker
  # slow builds
  timeout: 0400
compression:
  summary_model: small
  summary_provider: openrouter
  threshold: 0.5
stt: {provider: groq, model: whisper-large}
display:
  tool_progress_overrides: {telegram: "off", slack: new}
of_mine: {kept: yes}
`;

test("an older file moves to the places of now, keeps its comments, and stays beside it as it was", async () => {
	using home = homeWith(older);
	const checked = await runInProcess(["config", "check"], home.path);
	expect(checked.stdout).toContain("max_turns → agent.max_turns");
	expect(checked.stdout).toContain("hermes config migrate");

	const dry = await runInProcess(["config", "migrate", "--dry-run"], home.path);
	expect(dry.stdout).toContain("would move terminal.env_type → terminal.backend\n");
	expect([home.text(), home.backups()]).toEqual([older, []]);

	const { stdout, stderr, exitCode } = await runInProcess(["config", "migrate"], home.path);
	expect([stderr, exitCode]).toEqual(["", 0]);
	expect(stdout).toContain("moved stt.model → stt.groq.model\n");
	const [backup = ""] = home.backups();
	expect(home.read(backup)).toBe(older);
	expect(Bun.YAML.parse(home.text())).toEqual({
		_config_version: 29,
		model: { default: "some-model", provider: "custom", base_url: "http://localhost:1234/v1" },
		toolsets: ["hermes-cli", "web"],
		agent: { disabled_toolsets: ["delegation"], max_turns: 33 },
		terminal: { timeout: 400, backend: "docker" },
		compression: { threshold: 0.5 },
		stt: { provider: "groq", groq: { model: "whisper-large" } },
		display: { platforms: { telegram: { tool_progress: "off" }, slack: { tool_progress: "new" } } },
		of_mine: { kept: expect.anything() },
		prefill_messages_file: "few.json",
		auxiliary: { compression: { model: "small", provider: "openrouter" } },
	});
	for (const comment of ["# mine", "# slow builds"]) expect(home.text()).toContain(comment);
	const values = [
		"model.default",
		"model.base_url",
		"agent.max_turns",
		"terminal.backend",
		"auxiliary.compression.model",
	];
	const read = await Promise.all(values.map((key) => runInProcess(["config", "get", key], home.path)));
	expect(read.map((got) => got.stdout.trim())).toEqual([
		...["some-model", "http://localhost:1234/v1", "33", "docker", "small"],
	]);

	const again = await runInProcess(["config", "migrate"], home.path);
	expect(again.stdout).toBe("Nothing has to be moved.\n");
	expect(home.backups()).toHaveLength(1);
	expect((await runInProcess(["config", "check"], home.path)).stdout).not.toContain("hermes config migrate");
});

test("R137: no toolset, tool or model gets another name, whatever layout the file says it has", async () => {
	for (const version of [0, 5, 12, 17, 28]) {
		const lists = { toolsets: ["hermes-cli", "web"], platform_toolsets: { cli: ["terminal", "file"] } };
		const names = { ...lists, agent: { disabled_toolsets: ["web"] }, model: { default: "a/b" } };
		using home = homeWith(JSON.stringify({ _config_version: version, ...names, max_turns: 5 }));
		await runInProcess(["config", "migrate"], home.path);
		const { agent, ...rest } = names;
		expect(Bun.YAML.parse(home.text())).toEqual({ _config_version: 29, ...rest, agent: { ...agent, max_turns: 5 } });
		expect(home.backups()).toHaveLength(1);
	}
});

test("what is at a new place already counts, and the older one stays until somebody decides", async () => {
	using home = homeWith("max_turns: 5\nagent: {max_turns: 6}\nterminal: docker\n");
	const { stdout, exitCode } = await runInProcess(["config", "migrate"], home.path);
	expect([stdout, exitCode]).toEqual([
		"left max_turns: what is at agent.max_turns counts; remove one of them\nNothing has to be moved.\n",
		1,
	]);
	expect(home.text()).toBe("max_turns: 5\nagent: {max_turns: 6}\nterminal: docker\n");
});

test.each([
	["broken", "a: [\n", "Cannot read"],
	["later", "_config_version: 30\nmax_turns: 1\n", "is later than 29"],
	["knotted", "max_turns: &n 4\nagent: {other: *n}\n", "move by hand: max_turns → agent.max_turns"],
])("a file that is %s stays as it is, and it is said why", async (_, text, reason) => {
	using home = homeWith(text);
	const { stderr, exitCode } = await runInProcess(["config", "migrate"], home.path);
	expect(stderr).toContain(reason);
	expect([exitCode, home.text(), home.backups()]).toEqual([1, text, []]);
});

test("without a file there is nothing to do, and none is made", async () => {
	using folder = temporaryFolder();
	const { stdout, exitCode } = await runInProcess(["config", "migrate"], folder.path);
	expect([stdout, exitCode]).toEqual(["Nothing has to be moved.\n", 0]);
	expect(existsSync(join(folder.path, ".hermes/config.yaml"))).toBeFalse();
});
