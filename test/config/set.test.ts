/** `config set` as a function: where a setting goes, and that nothing is lost on the way. */

import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ConfigInvalid } from "../../lib/config/config-invalid.ts";
import { EnvVariableRefused, parseEnvFile } from "../../lib/config/env-file.ts";
import { loadConfig } from "../../lib/config/load.ts";
import type { Key } from "../../lib/config/schema/key.ts";
import { ownSchema } from "../../lib/config/schema/table.ts";
import { setSetting } from "../../lib/config/set.ts";
import { parseYaml } from "../../lib/config/yaml.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const writer = join(import.meta.dir, "../support/config-writer.ts");

/** A value other than the default, and how it is typed on a command line. */
function otherValue(key: Key): { readonly value: unknown; readonly written: string } {
	const { kind, fallback } = key;
	switch (kind.type) {
		case "text":
			return { value: "012", written: "012" };
		case "boolean":
			return { value: !fallback, written: String(!fallback) };
		case "integer":
			return { value: kind.max ?? (kind.min ?? 0) + 41, written: String(kind.max ?? (kind.min ?? 0) + 41) };
		case "number":
			return { value: kind.max ?? 7.25, written: String(kind.max ?? 7.25) };
		case "choice":
			return { value: kind.options.at(-1), written: kind.options.at(-1) ?? "" };
		case "texts":
			return { value: ["off", "b c"], written: '["off", "b c"]' };
		case "list":
			return { value: [{ a: 1 }, "x"], written: '[{"a": 1}, "x"]' };
		default:
			return { value: { on: ["yes", 2] }, written: '{"on": ["yes", 2]}' };
	}
}

describe("setSetting()", () => {
	test("setSetting() writes every key of the table so that it reads back with its type", async () => {
		using folder = temporaryFolder();
		const home = folder.path;
		const paths = ownSchema.paths
			.filter((path) => !path.startsWith("auxiliary.") || path.startsWith("auxiliary.vision."))
			.filter((path) => ownSchema.find(path)?.key.gone === undefined);
		const wanted = new Map<string, unknown>();
		for (const path of paths) {
			const key = ownSchema.find(path)?.key;
			if (key === undefined) throw new Error(`${path} is in no row`);
			const { value, written } = otherValue(key);
			await setSetting({ home, path, written });
			wanted.set(path, value);
		}
		const config = await loadConfig({ home, variables: {} });
		const read = new Map(paths.map((path) => [path, config.find(path)?.value]));
		expect(config.warnings).toEqual([]);
		for (const path of paths) {
			if (path === "display.platforms") continue;
			expect([path, read.get(path)]).toEqual([path, wanted.get(path)]);
		}
		expect(paths.length).toBeGreaterThan(230);
	}, 30_000);

	test("setSetting() puts secrets into .env alone, for the user alone, and a reference into the file", async () => {
		using folder = temporaryFolder();
		const home = folder.path;
		await setSetting({ home, path: "OPENROUTER_API_KEY", written: "secret-1" });
		await setSetting({ home, path: "model.api_key", written: "secret-2" });
		await setSetting({ home, path: "terminal.sudo_password", written: "secret-3 # x" });
		await setSetting({ home, path: "platforms.telegram.token", written: "secret-4" });
		await setSetting({ home, path: "mcp_servers", written: '{"gh": {"env": {"GH_TOKEN": "secret-5"}}}' });
		const yaml = readFileSync(join(home, "config.yaml"), "utf8");
		const env = readFileSync(join(home, ".env"), "utf8");
		expect(yaml).not.toContain("secret-");
		expect(parseEnvFile(env).variables).toEqual({
			OPENROUTER_API_KEY: "secret-1",
			MODEL_API_KEY: "secret-2",
			SUDO_PASSWORD: "secret-3 # x",
			PLATFORMS_TELEGRAM_TOKEN: "secret-4",
			MCP_SERVERS_GH_ENV_GH_TOKEN: "secret-5",
		});
		expect([".env", "config.yaml"].map((name) => statSync(join(home, name)).mode & 0o777)).toEqual([0o600, 0o600]);
		const config = await loadConfig({ home, variables: {} });
		expect([config.get("model.api_key"), config.get("terminal.sudo_password"), config.get("mcp_servers")]).toEqual([
			"secret-2",
			"secret-3 # x",
			{ gh: { env: { GH_TOKEN: "secret-5" } } },
		]);
	});

	test("setSetting() keeps the short form of the model as long as that is all it says", async () => {
		using folder = temporaryFolder();
		const home = folder.path;
		const path = join(home, "config.yaml");
		writeFileSync(path, "model: one # mine\n");
		await setSetting({ home, path: "model", written: "two" });
		expect(readFileSync(path, "utf8")).toBe("model: two # mine\n");
		await setSetting({ home, path: "model.provider", written: "custom" });
		expect(readFileSync(path, "utf8")).toBe("model: {default: two, provider: custom} # mine\n");
		await setSetting({ home, path: "model", written: "three" });
		expect(readFileSync(path, "utf8")).toBe("model: {default: three, provider: custom} # mine\n");
	});

	test.each([
		[
			"agent.max_turns",
			"lots",
			ConfigInvalid,
			'Cannot set agent.max_turns to "lots": expected a whole number of at least 1',
		],
		["agent.max_turns", "0", ConfigInvalid, 'Cannot set agent.max_turns to "0": expected a whole number of at least 1'],
		[
			"terminal.persistent_shell",
			"maybe",
			ConfigInvalid,
			'Cannot set terminal.persistent_shell to "maybe": expected true or false',
		],
		[
			"approvals.mode",
			"never",
			ConfigInvalid,
			'Cannot set approvals.mode to "never": expected one of manual, smart, off',
		],
		[
			"agent.max_turn",
			"1",
			ConfigInvalid,
			'Cannot set "agent.max_turn": unknown key; did you mean agent.max_turns? (--force sets it all the same)',
		],
		["zzzzzzzzz.x", "1", ConfigInvalid, 'Cannot set "zzzzzzzzz.x": unknown key (--force sets it all the same)'],
		["agent", "1", ConfigInvalid, 'Cannot set "agent": it is a section; name a key in it'],
		[
			"smart_model_routing",
			"{}",
			ConfigInvalid,
			"Cannot set smart_model_routing: it has no effect; a conversation stays with its model; auxiliary.TASK.model and delegation.model name cheaper ones",
		],
		["agent..x", "1", ConfigInvalid, 'Cannot set "agent..x": a part of the name is empty'],
		["LD_PRELOAD", "/tmp/x.so", EnvVariableRefused, 'Cannot set "LD_PRELOAD": it decides which programs run'],
		["A_TOKEN", "a\nPATH=/tmp", EnvVariableRefused, 'Cannot set "A_TOKEN": the value has a line break in it'],
	])("setSetting() refuses %s = %j and writes nothing", async (...[path, written, kind, message]) => {
		using folder = temporaryFolder();
		const failure = await setSetting({ home: folder.path, path, written }).catch((error: unknown) => error);
		expect(failure).toBeInstanceOf(kind);
		expect(String(failure)).toEndWith(message);
		expect(["config.yaml", ".env"].map((name) => existsSync(join(folder.path, name)))).toEqual([false, false]);
	});

	test("setSetting() leaves a broken file as it is and says where it is broken", async () => {
		using folder = temporaryFolder();
		const path = join(folder.path, "config.yaml");
		writeFileSync(path, "agent: {max_turns: 1\n# mine\n");
		const failure = await setSetting({ home: folder.path, path: "timezone", written: "UTC" }).catch(
			(error: unknown) => error,
		);
		expect(String(failure)).toContain('config.yaml": line ');
		expect(readFileSync(path, "utf8")).toBe("agent: {max_turns: 1\n# mine\n");
	});

	test("setSetting() sets an unknown key by force alone, with a warning that names the nearest", async () => {
		using folder = temporaryFolder();
		const request = { home: folder.path, path: "agent.max_turn", written: "5" };
		const { warnings } = await setSetting({ ...request, force: true });
		expect(warnings).toEqual(["unknown key agent.max_turn; did you mean agent.max_turns?"]);
		expect(readFileSync(join(folder.path, "config.yaml"), "utf8")).toBe("agent:\n  max_turn: 5\n");
	});

	test("setSetting() keeps the mode of a file but not for all users, and a link a link", async () => {
		using folder = temporaryFolder();
		const real = join(folder.path, "dotfiles.yaml");
		writeFileSync(real, "timezone: UTC # here\n");
		symlinkSync(real, join(folder.path, "config.yaml"));
		writeFileSync(join(folder.path, ".env"), "A=1\n");
		chmodSync(join(folder.path, ".env"), 0o664);
		await setSetting({ home: folder.path, path: "timezone", written: "Europe/Berlin" });
		await setSetting({ home: folder.path, path: "B", written: "2" });
		expect(readFileSync(real, "utf8")).toBe("timezone: Europe/Berlin # here\n");
		expect(readdirSync(folder.path).sort()).toEqual([".config.lock", ".env", "config.yaml", "dotfiles.yaml"]);
		expect(statSync(join(folder.path, ".env")).mode & 0o777).toBe(0o660);
	});

	test("setSetting() in several processes at once loses nothing", async () => {
		using folder = temporaryFolder();
		const writers = ["a", "b", "c"].map((prefix) =>
			Bun.spawn([process.execPath, writer, folder.path, prefix, "15"], { stdout: "ignore", stderr: "inherit" }),
		);
		expect(await Promise.all(writers.map(({ exited }) => exited))).toEqual([0, 0, 0]);
		const names = ["a", "b", "c"].flatMap((prefix) => Array.from({ length: 15 }, (_, index) => `${prefix}${index}`));
		const { content } = await parseYaml("f", readFileSync(join(folder.path, "config.yaml"), "utf8"));
		const { variables } = parseEnvFile(readFileSync(join(folder.path, ".env"), "utf8"));
		expect(content).toEqual({ hooks: Object.fromEntries(names.map((name) => [name, name])) });
		expect(variables).toEqual(Object.fromEntries(names.map((name) => [`${name.toUpperCase()}_TOKEN`, name])));
	}, 60_000);

	test("setSetting() killed at any moment leaves the old or the new file, and the next writer goes on at once", async () => {
		using folder = temporaryFolder();
		const home = folder.path;
		const path = join(home, "config.yaml");
		for (let round = 0; round < 8; round++) {
			const child = Bun.spawn([process.execPath, writer, home, `k${round}x`, "1000"], {
				stdout: "pipe",
				stderr: "inherit",
			});
			const [first] = [await child.stdout.getReader().read()];
			await Bun.sleep(round * 3);
			child.kill("SIGKILL");
			await child.exited;
			expect(first.done).toBe(false);
			const { content } = await parseYaml("f", readFileSync(path, "utf8"));
			const hooks = Object.entries((content as { hooks: Record<string, string> }).hooks);
			expect(hooks.every(([name, value]) => name === value)).toBe(true);
			expect(parseEnvFile(readFileSync(join(home, ".env"), "utf8")).warnings).toEqual([]);
			await setSetting({ home, path: "timezone", written: `zone ${round}` });
			await setSetting({ home, path: "ZONE", written: `zone ${round}` });
		}
		// What killed writers left behind is gone.
		expect(readdirSync(home).sort()).toEqual([".config.lock", ".env", "config.yaml"]);
	}, 60_000);
});
