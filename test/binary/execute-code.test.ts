/** Scripts that call tools, run by the executable: in Python, and in TypeScript, which it runs itself. */

import { expect, test } from "bun:test";
import { builtBinary } from "../support/built-binary.ts";
import { runProgram } from "../support/run-program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const python = `
import os, subprocess
from hermes_tools import read_file, terminal, write_file
write_file("a.txt", "one\\n")
print(read_file("a.txt")["content"], terminal("echo two")["output"])
print([name for name in os.environ if "KEY" in name])
`;

const typescript = `
import { spawnSync } from "node:child_process";
import { terminal } from "hermes_tools";
const command: string = "echo two";
console.log((await Promise.all([1, 2, 3].map(() => terminal({ command })))).map(({ output }) => output).join());
console.log(/BUN_BE_BUN|OPENAI/.test(String(spawnSync("env").stdout)));
`;

/** The import is used for nothing, so the module is never loaded. */
const starters = `
import { spawnSync } from "node:child_process";
import { terminal } from "hermes_tools";
const said = [
	spawnSync("env").stdout,
	await Bun.$\`env\`.text(),
	Bun.spawnSync(["env"]).stdout,
	Bun.spawnSync({ cmd: ["env"] }).stdout,
	await new Response(Bun.spawn(["env"], { stdin: "ignore" }).stdout).text(),
	await new Response(Bun.spawn({ cmd: ["env"] }).stdout).text(),
];
console.log(said.map((text) => [String(text).includes("BUN_BE_BUN"), String(text).includes("PATH=")].join()).join(" "));
console.log(Bun.spawnSync(["env"], { env: { A: "1" } }).stdout.toString());
`;

test.concurrent.each([
	{ language: "python", code: python, output: "1|one two\n[]\n", calls: 3 },
	{ language: "typescript", code: typescript, output: "two,two,two\nfalse\n", calls: 3 },
	{ language: "typescript", code: "console.log(typeof process.env.BUN_BE_BUN)", output: "undefined\n", calls: 0 },
	{ language: "typescript", code: starters, output: `${Array(6).fill("false,true").join(" ")}\nA=1\n\n`, calls: 0 },
])(
	"the executable runs a script in $language with $calls calls",
	async ({ language, code, output, calls }) => {
		using home = temporaryFolder();
		const ran = await runProgram(
			[await builtBinary(), "tools", "call", "execute_code", JSON.stringify({ code, language }), "--yolo"],
			{
				cwd: home.path,
				env: { HOME: home.path, PATH: "/usr/local/bin:/usr/bin:/bin", OPENAI_API_KEY: "sk-not-for-scripts" },
			},
		);
		expect({ ...ran, stdout: JSON.parse(ran.stdout) }).toEqual({
			exitCode: 0,
			stderr: "",
			stdout: expect.objectContaining({ status: "success", output, tool_calls_made: calls, ran_on: "local" }),
		});
	},
	120_000,
);
