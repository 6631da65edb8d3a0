/** hermes plugins: nothing of a plug-in runs before its user says so. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { tools } from "../../lib/tools/all.ts";
import { runInProcess } from "../support/command-line.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { writePlugin } from "../support/user-plugin.ts";

// Each test starts processes, and other tests may keep the machine busy.
setDefaultTimeout(60_000);

describe("hermes plugins", () => {
	test("hermes plugins enable NAME makes its tools callable, disable takes them away; before that nothing runs", async () => {
		using home = temporaryFolder();
		const hermes = (...args: string[]) => runInProcess(args, home.path);
		writePlugin(join(home.path, ".hermes"), "greeter", {
			manifest: { version: "2", description: "Greets", tools: [{ name: "greet", description: "Greets" }] },
			module: `await Bun.write(${JSON.stringify(join(home.path, "ran"))}, "x");
				export default { tools: { greet: () => ({ hello: "you" }) } };`,
		});
		const row = { name: "greeter", version: "2", description: "Greets", tools: ["greet"], hooks: [], environment: [] };
		expect(JSON.parse((await hermes("plugins", "list", "--json")).stdout)).toEqual([{ ...row, enabled: false }]);
		expect((await hermes("tools", "call", "greet")).stdout).toContain("no tool has that name");
		expect(existsSync(join(home.path, "ran"))).toBe(false);

		const enabled = await hermes("plugins", "enable", "greeter");
		expect({ exitCode: enabled.exitCode, stderr: enabled.stderr }).toEqual({ exitCode: 0, stderr: "" });
		expect(enabled.stdout).toContain("tools: greet");
		const listed = JSON.parse((await hermes("tools", "list", "--json")).stdout) as { name: string }[];
		expect(listed.find(({ name }) => name === "greet")).toMatchObject({
			toolset: "greeter",
			available: true,
			enabled: true,
		});
		expect(existsSync(join(home.path, "ran"))).toBe(false);
		expect(await hermes("tools", "call", "greet")).toEqual({ stdout: '{"hello":"you"}\n', stderr: "", exitCode: 0 });
		expect(existsSync(join(home.path, "ran"))).toBe(true);

		expect((await hermes("plugins", "disable", "greeter")).exitCode).toBe(0);
		expect((await hermes("tools", "call", "greet")).exitCode).toBe(1);
	});

	test("hermes plugins enable and disable name the nearest for a wrong name", async () => {
		using home = temporaryFolder();
		const hermes = (...args: string[]) => runInProcess(args, home.path);
		writePlugin(join(home.path, ".hermes"), "greeter", { manifest: {}, module: "" });
		const enable = await hermes("plugins", "enable", "greter");
		expect({ exitCode: enable.exitCode, stderr: enable.stderr }).toEqual({
			exitCode: 1,
			stderr: expect.stringContaining('did you mean "greeter"?'),
		});
		expect((await hermes("plugins", "disable", "greeter")).stderr).toContain("it is not enabled");
	});

	test("a broken plug-in that is enabled is one warning, and every other tool works", async () => {
		using home = temporaryFolder();
		const hermes = (...args: string[]) => runInProcess(args, home.path);
		const folder = writePlugin(join(home.path, ".hermes"), "greeter", { manifest: {}, module: "" });
		await hermes("plugins", "enable", "greeter");
		await Bun.write(join(folder, "plugin.json"), "{");
		const { stderr, exitCode, stdout } = await hermes("tools", "list");
		expect({ exitCode, lines: stdout.trim().split("\n").length }).toEqual({
			exitCode: 0,
			lines: Object.keys(tools).length,
		});
		expect(stderr).toMatch(/^hermes: Cannot use plug-in "greeter": [^\n]+\n$/);
	});

	test("a call of a plug-in's tool is written to the audit log", async () => {
		using home = temporaryFolder();
		const hermes = (...args: string[]) => runInProcess(args, home.path);
		writePlugin(join(home.path, ".hermes"), "greeter", {
			manifest: { tools: [{ name: "greet", description: "Greets" }] },
			module: "export default { tools: { greet: () => ({ hello: 1 }) } };",
		});
		await hermes("plugins", "enable", "greeter");
		await hermes("config", "set", "audit.enabled", "true");
		expect((await hermes("tools", "call", "greet")).stdout).toBe('{"hello":1}\n');
		const lines = readFileSync(join(home.path, ".hermes", "logs", "audit.jsonl"), "utf8")
			.trim()
			.split("\n");
		expect(lines.map((line) => JSON.parse(line)).map(({ event, tool, reason }) => [event, tool, reason])).toEqual([
			["started", "greet", "needs no consent"],
			["ended", "greet", "needs no consent"],
		]);
	});
});
