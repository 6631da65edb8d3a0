/** Plug-in lists, scanned from source and frozen into a binary, from one fixture tree. */

import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { loadPlugins, type Plugins, pluginFiles, pluginName } from "../../lib/base/plugins.ts";
import { buildBinary } from "../../scripts/build-binary.ts";
import { runProgram } from "../support/run-program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const fixture = join(import.meta.dir, "../fixtures/plugins");

/** What the fixture must print: its helpers stay silent, its two broken plug-ins stop no other. */
const expected = {
	loaded: { good: { says: "good" }, nested: { says: "nested" }, renamed: { says: "renamed" } },
	failures: [
		{ name: "throwing", reason: "Cannot load: this fixture always fails" },
		{ name: "never-settling", reason: "did not load within 500 ms" },
	],
};

describe("modulesIn()", () => {
	test("lists modules with a default export and evaluates no other when run from source", async () => {
		using folder = temporaryFolder();
		const ran = await runProgram([process.execPath, join(fixture, "main.ts")], { cwd: folder.path, env: {} });
		expect({ ...ran, stdout: JSON.parse(ran.stdout) }).toEqual({ stdout: expected, stderr: "", exitCode: 0 });
	});

	test("gives the same list in a compiled binary", async () => {
		using folder = temporaryFolder();
		const outfile = join(folder.path, "fixture");
		const lists = await buildBinary({ entry: join(fixture, "main.ts"), outfile, version: "1" });
		expect(lists.map(({ names }) => names)).toEqual([["good", "nested", "never-settling", "renamed", "throwing"]]);
		const ran = await runProgram([outfile], { cwd: folder.path, env: {} });
		expect({ ...ran, stdout: JSON.parse(ran.stdout) }).toEqual({ stdout: expected, stderr: "", exitCode: 0 });
	}, 60_000);
});

describe("pluginFiles()", () => {
	test("leaves out tests, declarations and deeper folders", async () => {
		using folder = temporaryFolder();
		const files = ["b.ts", "a/index.ts", "b.test.ts", "b.d.ts", "a/part.ts", "a/deep/index.ts", "c.js"];
		for (const file of files) await Bun.write(join(folder.path, file), "export default 1;");
		expect(pluginFiles(folder.path)).toEqual(["a/index.ts", "b.ts"]);
	});
});

describe("pluginName()", () => {
	test.each([
		["terminal.ts", "terminal"],
		["local/index.ts", "local"],
		["index.ts", "index"],
	])("%s is the plug-in %s", (file, name) => {
		expect(pluginName(file)).toBe(name);
	});
});

describe("loadPlugins()", () => {
	test("keeps the order of the list, whatever loads first", async () => {
		const plugins: Plugins<number> = {
			slow: () => Bun.sleep(20).then(() => ({ default: 1 })),
			quick: () => Promise.resolve({ default: 2 }),
		};
		expect([...(await loadPlugins(plugins)).loaded]).toEqual([
			["slow", 1],
			["quick", 2],
		]);
	});

	test("reports what was thrown, errors or not", async () => {
		const plugins: Plugins<number> = {
			error: () => Promise.reject(new Error("no disk")),
			text: () => Promise.reject("no net"),
		};
		expect(await loadPlugins(plugins)).toEqual({
			loaded: new Map(),
			failures: [
				{ name: "error", reason: "no disk" },
				{ name: "text", reason: "no net" },
			],
		});
	});
});
