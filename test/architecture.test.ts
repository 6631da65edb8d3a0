/** Holds the project to ARCHITECTURE.md, and shows that every rule can fail. */

import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { rows, rules } from "./support/architecture-rules.ts";
import { readModules, sourceModule } from "./support/source-module.ts";

const root = join(import.meta.dir, "..");
const modules = await readModules(root, ["main.ts", "lib/**/*.ts"]);

describe("the project", () => {
	test.each(rules.map(({ name, check }) => ({ name, check })))("$name", ({ check }) => {
		expect(check(modules)).toEqual([]);
	});

	test("ARCHITECTURE.md shows the rows that are checked", async () => {
		const page = await Bun.file(join(root, "ARCHITECTURE.md")).text();
		const shown = [...page.matchAll(/^\| \d+ \| ([a-z, ]+) \|/gm)].map(([, folders]) => folders?.split(", "));
		expect(shown).toEqual(rows.map((folders) => [...folders]));
	});
});

/** Small bad projects: the rule they break, their files, and what is said about them. */
const breaches: readonly { rule: string; files: Record<string, string>; said: string[] }[] = [
	{
		rule: "a folder imports lower rows only",
		files: {
			"lib/tools/a.ts": `import { run } from "../agent/loop.ts"; run();`,
			"lib/store/b.ts": `import type { Line } from "../log/line.ts";`,
			"lib/registry/c.ts": `import { type Tool, type Other } from "../tools/tool.ts";`,
			"lib/base/d.ts": `export type { Home } from "../config/home.ts";`,
			"lib/web/e.ts": `export let file: import("../files/read.ts").File;`,
			"lib/base/f.ts": `export const load = () => import("../../main.ts");`,
			"lib/odd/g.ts": "export {};",
			"lib/cli/fine.ts": `import { run } from "../agent/loop.ts"; import "./other.ts"; run();`,
		},
		said: [
			"lib/tools/a.ts imports lib/agent/loop.ts, which is no lower row",
			"lib/store/b.ts imports lib/log/line.ts, which is no lower row",
			"lib/registry/c.ts imports lib/tools/tool.ts, which is no lower row",
			"lib/base/d.ts imports lib/config/home.ts, which is no lower row",
			"lib/web/e.ts imports lib/files/read.ts, which is no lower row",
			"lib/base/f.ts imports main.ts, which is no lower row",
			"lib/odd/g.ts: this folder is in no row of the table",
		],
	},
	{
		rule: "nobody imports a plug-in module",
		files: {
			"lib/tools/patch.ts": "export default {};",
			"lib/tools/list.ts": `import patch from "./patch.ts"; patch;`,
			"main.ts": `await import("./lib/tools/patch.ts");`,
		},
		said: [
			"lib/tools/list.ts imports lib/tools/patch.ts, which is a plug-in",
			"main.ts imports lib/tools/patch.ts, which is a plug-in",
		],
	},
	{
		rule: "only main.ts imports an all.ts",
		files: {
			"main.ts": `import { tools } from "./lib/tools/all.ts"; tools;`,
			"lib/agent/loop.ts": `const { tools } = await import("../tools/all.ts"); tools;`,
		},
		said: ["lib/agent/loop.ts imports lib/tools/all.ts"],
	},
	{
		rule: "heavy packages are imported dynamically",
		files: {
			"lib/providers/a.ts": `import OpenAI from "openai"; new OpenAI();`,
			"lib/providers/b.ts": `import { x } from "@daytona/sdk"; x;`,
			"lib/providers/c.ts": `import { x } from "openai/helpers/zod"; x;`,
			"lib/providers/fine.ts": `import type OpenAI from "openai"; export const load = () => import("openai");`,
		},
		said: [
			"lib/providers/a.ts imports openai at its top: use await import() where it is needed",
			"lib/providers/b.ts imports @daytona/sdk at its top: use await import() where it is needed",
			"lib/providers/c.ts imports openai/helpers/zod at its top: use await import() where it is needed",
		],
	},
	{
		rule: "only lib/config reads the environment",
		files: {
			"lib/tools/a.ts": "export const home = process.env.HOME;",
			"lib/tools/b.ts": "export const home = Bun.env['HOME'];",
			"lib/tools/c.ts": "const { env } = process; env;",
			"lib/config/fine.ts": "export const home = process.env.HOME;",
			"lib/tools/fine.ts": "/** process.env is not read here. */\nexport {}; // Bun.env",
		},
		said: ["lib/tools/a.ts has process.env", "lib/tools/b.ts has Bun.env", "lib/tools/c.ts has { env } = process"],
	},
	{
		rule: "only lib/cli and main.ts write to the console",
		files: {
			"lib/agent/a.ts": "console.error(1);",
			"lib/cli/fine.ts": "console.log(1);",
			"main.ts": "console.log(1);",
		},
		said: ["lib/agent/a.ts has console."],
	},
	{
		rule: "only lib/config/home.ts asks for the home folder",
		files: {
			"lib/config/a.ts": `import { homedir } from "node:os"; homedir();`,
			"lib/config/home.ts": `import { homedir } from "node:os"; homedir();`,
		},
		said: ["lib/config/a.ts has homedir"],
	},
	{
		rule: "processes are started in few places",
		files: {
			"lib/tools/a.ts": `Bun.spawn(["true"]);`,
			"lib/tools/b.ts": `import { exec } from "node:child_process"; exec("true");`,
			"lib/tools/c.ts": `import { $ } from "bun"; await $\`true\`;`,
			"lib/environments/local/fine.ts": `Bun.spawn(["true"]);`,
		},
		said: [
			"lib/tools/a.ts has Bun.spawn",
			`lib/tools/b.ts has "node:child_process"`,
			`lib/tools/c.ts has $ } from "bun"`,
		],
	},
	{
		rule: "what a chat draws first is loaded without a package",
		files: {
			"lib/cli/terminal/chat-frame.ts": `import { dye } from "./dye.ts"; dye();`,
			"lib/cli/terminal/dye.ts": `import { z } from "zod"; z.string();`,
		},
		said: ["lib/cli/terminal/dye.ts imports zod, and a chat draws its first frame with it"],
	},
	{
		rule: "one file uses bun:ffi",
		files: {
			"lib/environments/a.ts": `import { dlopen } from "bun:ffi"; dlopen;`,
			"lib/environments/b.ts": `await import("bun:ffi");`,
		},
		said: [
			"lib/environments/a.ts is not the only file that uses bun:ffi",
			"lib/environments/b.ts is not the only file that uses bun:ffi",
		],
	},
	{
		rule: "every file opens with a doc comment",
		files: {
			"lib/base/a.ts": "export {};\n/** Late. */",
			"lib/base/b.ts": "// plain",
			"lib/base/fine.ts": "/** Fine. */",
			"lib/base/longer.ts": "/**\n * Fine in two lines,\n * as well.\n */",
		},
		said: ["lib/base/a.ts does not open with a doc comment", "lib/base/b.ts does not open with a doc comment"],
	},
	{
		rule: "every export has a doc comment",
		files: {
			"lib/base/a.ts":
				"/** A file. */\n\nexport const a = 1;\n/** Fine. */\nexport type B = 1;\n\nexport interface C {}\nexport async function d() {}\n",
			"lib/base/fine.ts": `/** A file. */\nexport default 1;\nexport { type A } from "./a.ts";\nexport * from "./a.ts";\n`,
			"main.ts": "export const a = 1;",
		},
		said: [
			"lib/base/a.ts exports a without a doc comment",
			"lib/base/a.ts exports C without a doc comment",
			"lib/base/a.ts exports d without a doc comment",
		],
	},
	{
		rule: "main.ts is short",
		files: { "main.ts": "//\n".repeat(120), "lib/base/fine.ts": "//\n".repeat(300) },
		said: ["main.ts has 120 lines; fewer than 120 are allowed"],
	},
];

describe("a rule", () => {
	test.each([...breaches])("$rule: names each breach", ({ rule, files, said }) => {
		const bad = Object.entries(files).map(([path, source]) => sourceModule(path, source));
		expect(rules.find(({ name }) => name === rule)?.check(bad)).toEqual(said);
	});

	test("has a project that breaks it", () => {
		expect(breaches.map(({ rule }) => rule)).toEqual(rules.map(({ name }) => name));
	});
});
