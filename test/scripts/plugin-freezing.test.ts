/** Freezing of plug-in lists: what is replaced, and what makes the build fail. */

import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { freezePlugins, frozenSource, scansAtRunTime } from "../../scripts/plugin-freezing.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const importLine = 'import { modulesIn } from "../base/plugins.ts";\n';
const pluginsModule = join(import.meta.dir, "../../lib/base/plugins.ts");

describe("frozenSource()", () => {
	test.each([
		["a plain call", "modulesIn<Tool>(import.meta.dir)"],
		["no type argument", "modulesIn(import.meta.dir)"],
		["nested type arguments", "modulesIn<Map<string, () => Array<Set<number>>>>(import.meta.dir)"],
		["a call over several lines", "modulesIn<\n\tTool\n>(\n\timport.meta.dir,\n)"],
	])("replaces %s by its record", (_, call) => {
		const frozen = frozenSource(`${importLine}export const tools = ${call};\n`, ["a.ts", "b/index.ts"], "all.ts");
		expect(frozen.trim()).toBe(
			'export const tools = { "a": () => import("./a.ts"), "b": () => import("./b/index.ts") };',
		);
	});

	test.each([
		["another argument", `${importLine}export const tools = modulesIn<Tool>("lib/tools");`],
		[
			"another name",
			'import { modulesIn as list } from "../base/plugins.ts";\nexport const tools = list(import.meta.dir);',
		],
		["a call through a variable", `${importLine}const list = modulesIn;\nexport const tools = list(import.meta.dir);`],
	])("refuses %s", (_, source) => {
		expect(() => frozenSource(source, ["a.ts"], "lib/tools/all.ts")).toThrow(
			'Cannot freeze the plug-in list in "lib/tools/all.ts": use modulesIn<T>(import.meta.dir), nothing else',
		);
	});

	test("refuses an empty list", () => {
		expect(() => frozenSource(`${importLine}export const tools = modulesIn(import.meta.dir);`, [], "all.ts")).toThrow(
			'Cannot freeze the plug-in list in "all.ts": the folder has no plug-in',
		);
	});
});

describe("freezePlugins()", () => {
	test("fails the build when a list is empty", async () => {
		using folder = temporaryFolder();
		const entry = join(folder.path, "all.ts");
		await Bun.write(entry, `import { modulesIn } from "${pluginsModule}";\nconsole.log(modulesIn(import.meta.dir));`);
		await expect(Bun.build({ entrypoints: [entry], target: "bun", plugins: [freezePlugins()] })).rejects.toThrow();
	});
});

describe("scansAtRunTime()", () => {
	test("tells a bundle with a call that was not replaced from a frozen one", async () => {
		using folder = temporaryFolder();
		const entry = join(folder.path, "all.ts");
		await Bun.write(entry, `import { modulesIn } from "${pluginsModule}";\nconsole.log(modulesIn(import.meta.dir));`);
		await Bun.write(join(folder.path, "plugin.ts"), "export default 1;");
		const bundle = async (plugins: Bun.BunPlugin[]) => {
			const { outputs } = await Bun.build({ entrypoints: [entry], target: "bun", minify: true, plugins });
			return new Uint8Array(await new Blob(outputs).arrayBuffer());
		};
		expect({
			frozen: scansAtRunTime(await bundle([freezePlugins()])),
			left: scansAtRunTime(await bundle([])),
		}).toEqual({ frozen: false, left: true });
	});
});
