/** Scripts that call tools, as a model sees them: what it is told, what comes back, and what it is asked for. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execute } from "../../lib/environments/shell/execute.ts";
import type { ToolSettings } from "../../lib/registry/tool.ts";
import type { ApprovalRequest } from "../../lib/security/approval/request.ts";
import { createRedactor } from "../../lib/security/redact.ts";
import { describeScripts } from "../../lib/tools/execute-code/describe.ts";
import { openHere } from "../rpc/script-places.ts";
import { type OpenScriptSession, openScriptSession, type ScriptSessionOptions } from "../support/script-session.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = temporaryFolder();
let here: Awaited<ReturnType<typeof openHere>>;
let session: OpenScriptSession;

beforeAll(async () => {
	here = await openHere(folder.path);
	session = await openScriptSession(here.shell);
});
afterAll(async () => {
	await here[Symbol.asyncDispose]();
	folder[Symbol.dispose]();
});

const open = (options: ScriptSessionOptions = {}) => openScriptSession(here.shell, options);

/** The answer without what differs from run to run. */
async function run(args: Readonly<Record<string, unknown>>, { by = session, settings = {} as Settings } = {}) {
	const { answer } = await by.call("execute_code", args, { settings: settingsOf(settings), redact: createRedactor() });
	const { duration_seconds: seconds, ...rest } = JSON.parse(answer);
	expect(typeof seconds).toBe("number");
	return rest;
}

type Settings = Readonly<Record<string, unknown>>;

function settingsOf(values: Settings): ToolSettings {
	const defaults: Settings = {
		"code_execution.mode": "project",
		"code_execution.timeout": 300,
		"code_execution.max_tool_calls": 50,
		"code_execution.mcp_tools": false,
		"terminal.env_passthrough": [],
	};
	const get = (key: string) => (key in values ? values[key] : defaults[key]);
	return { get, variables: {}, secrets: [] } as unknown as ToolSettings;
}

describe("execute_code", () => {
	test("gives what the script printed, and nothing else", async () => {
		expect(await run({ code: "print('ä', 1)\nimport sys; print('aside', file=sys.stderr)" })).toEqual({
			status: "success",
			output: "ä 1\n",
			tool_calls_made: 0,
			ran_on: "local",
		});
	});

	test("runs in the session's folder, with what is active there", async () => {
		mkdirSync(join(folder.path, "venv/bin"), { recursive: true });
		writeFileSync(join(folder.path, "venv/bin/python"), '#!/bin/sh\nACTIVE=1 exec /usr/bin/python3 "$@"\n', {
			mode: 0o755,
		});
		const venv = await openHere(folder.path, { VIRTUAL_ENV: join(folder.path, "venv") });
		try {
			const by = await openScriptSession(venv.shell);
			const code = "import os; print(os.getcwd(), os.environ.get('ACTIVE'))";
			expect((await run({ code }, { by })).output).toBe(`${folder.path} 1\n`);
			const strict = await run({ code }, { by, settings: { "code_execution.mode": "strict" } });
			expect(strict.output).toMatch(/^\/\S+ None\n$/);
			expect(strict.output).not.toContain(folder.path);
		} finally {
			await venv[Symbol.asyncDispose]();
		}
	});

	test("passes an environment by whose Python is broken", async () => {
		mkdirSync(join(folder.path, "broken/bin"), { recursive: true });
		writeFileSync(join(folder.path, "broken/bin/python"), "#!/nowhere\n", { mode: 0o755 });
		const broken = await openHere(folder.path, { VIRTUAL_ENV: join(folder.path, "broken") });
		try {
			expect((await run({ code: "print(1)" }, { by: await openScriptSession(broken.shell) })).output).toBe("1\n");
		} finally {
			await broken[Symbol.asyncDispose]();
		}
	});

	test("needs code", async () => {
		expect(await run({ code: " \n" })).toEqual({ error: "No code provided", status: "error", tool_calls_made: 0 });
	});

	test("says what went wrong, with the calls that were made", async () => {
		const code = "from hermes_tools import terminal\nterminal('echo x')\nprint('so far')\nraise ValueError('bad')";
		const { calls, error, output, ...rest } = await run({ code });
		expect(rest).toEqual({ status: "error", tool_calls_made: 1, ran_on: "local" });
		expect(calls).toEqual([expect.stringMatching(/^terminal \{"command":"echo x"\} \d+ ms$/)]);
		expect(error).toMatch(/^Traceback[\s\S]*File "script.py", line 4, in <module>[\s\S]*ValueError: bad$/);
		expect(output).toBe(`so far\n--- stderr ---\n${error}`);
	});

	test("R068: a script that takes too long is killed; what it said until then and why is there", async () => {
		const code = "import time; print('begun', flush=True); time.sleep(60)";
		expect(await run({ code }, { settings: { "code_execution.timeout": 1 } })).toEqual({
			status: "timeout",
			error: "Script timed out after 1s and was killed",
			output: "begun\n⏰ Script timed out after 1s and was killed",
			tool_calls_made: 0,
			ran_on: "local",
		});
	});

	test("R074: a loop without end, and one that calls a tool for ever, end at their limits", async () => {
		const endless = await run({ code: "while True: pass" }, { settings: { "code_execution.timeout": 1 } });
		expect(endless.status).toBe("timeout");
		const code = "from hermes_tools import web_search\nwhile True: web_search('x')";
		const caller = await run({ code }, { settings: { "code_execution.max_tool_calls": 3 } });
		expect([caller.status, caller.tool_calls_made]).toEqual(["error", 3]);
		expect(caller.error).toContain("ToolLimitError: Tool call limit reached (3)");
	});

	test("keeps head and tail of a long output on borders of characters, and counts bytes", async () => {
		const { output } = await run({ code: "print('begin'); print('漢' * 40000); print('end')" });
		const [, head = "", omitted, total, tail = ""] =
			/^([\s\S]*)\n\n\.\.\. \[OUTPUT TRUNCATED - (\d+) bytes omitted out of (\d+) total\] \.\.\.\n\n([\s\S]*)$/.exec(
				output,
			) ?? [];
		const kept = Buffer.byteLength(head) + Buffer.byteLength(tail);
		expect(total).toBe("120011");
		expect(kept + Number(omitted)).toBe(120_011);
		expect(kept).toBeGreaterThan(49_990);
		expect([head.startsWith("begin\n漢"), tail.endsWith("漢\nend\n"), output.includes("\ufffd")]).toEqual([
			true,
			true,
			false,
		]);
	});

	test("masks secrets before it cuts, so that no half of one is left", async () => {
		const secret = "sk-live-0123456789abcdefghijklmnopqrstuvwxyz";
		const code = `secret = "sk-live-" + "0123456789abcdefghijklmnopqrstuvwxyz"
print("x" * (20000 - 30) + " " + secret)
print("y" * 60000)
print(secret[:30] + secret[30:] + " " + "z" * (30000 - 12))
import sys
print("password=" + "hunter2hunter2", secret, file=sys.stderr); sys.exit(1)`;
		const { output, error } = await run({ code });
		for (let at = 0; at + 12 <= secret.length; at++) {
			const part = secret.slice(at, at + 12);
			expect([part, output.includes(part), error.includes(part)]).toEqual([part, false, false]);
		}
		expect(error).toStartWith("password=***");
	});

	test("masks known values, however they look", async () => {
		const { answer } = await session.call(
			"execute_code",
			{ code: "print('correct ' + 'horse battery')" },
			{ redact: createRedactor(["correct horse battery"]) },
		);
		expect(JSON.parse(answer).output).not.toContain("horse");
	});

	test("shows what the script says while it says it", async () => {
		const shown: string[] = [];
		const scripts = { ...session.scripts, show: (text: string) => void shown.push(text) };
		await session.call(
			"execute_code",
			{ code: "print('one', flush=True); import time; time.sleep(0.3); print('two')" },
			{ scripts },
		);
		expect(shown).toEqual(["one\n", "two\n"]);
	});

	test("R067: says what to do about the usual mistakes", async () => {
		const hints = await Promise.all(
			[
				"from hermes_tools import nope",
				"import no_such_module_here",
				"import json\nfrom hermes_tools import web_search\njson.loads(web_search('x'))",
				"terminal('ls')",
				"from hermes_tools import web_search\nprint(web_search('x')['content'])",
			].map(async (code) => (await run({ code })).hint),
		);
		expect(hints).toEqual([
			"hermes_tools has no nope; it has patch, read_file, search_files, terminal, web_extract, web_search, write_file, json_parse, shell_quote, retry, ToolError, ToolLimitError",
			"no_such_module_here is not installed where the script runs; do without it, or install it there first (terminal: python3 -m pip install …)",
			"Tools return dicts already: use the result as it is, without json.loads",
			"Import it: from hermes_tools import terminal",
			'A tool that failed returns {"error": …} instead of its usual keys: print the result to see it, and check result.get("error")',
		]);
	});

	test("R065: a session without such tools has no functions, and calls are refused", async () => {
		const by = await open({ enabled: ["execute_code", "vision"] });
		const { error, hint } = await run({ code: "from hermes_tools import terminal" }, { by });
		expect(error).toContain("No module named 'hermes_tools'");
		expect(hint).toBe("No tools can be called from scripts in this session: call them directly");
		const code = "import os; print([name for name in os.environ if 'RPC' in name])";
		expect((await run({ code }, { by })).output).toBe("[]\n");
	});

	test("offers what the session may call, and no more", async () => {
		const by = await open({ enabled: ["execute_code", "terminal"] });
		const code = `import hermes_tools
print([hasattr(hermes_tools, name) for name in ("terminal", "read_file")])
try: hermes_tools._call("read_file", path="/etc/passwd")
except hermes_tools.ToolError as error: print(error)`;
		expect((await run({ code }, { by })).output).toBe(
			'[True, False]\nCannot call "read_file" from a script: it may call terminal\n',
		);
	});

	test("R070: is asked about as a whole on this machine, and not in a container", async () => {
		const asked: ApprovalRequest[] = [];
		const approve = {
			mode: "ask" as const,
			ask: async (request: ApprovalRequest) => {
				asked.push(request);
				return request.kind === "script" ? ("always" as const) : ("deny" as const);
			},
		};
		const by = await open({ approve });
		// What it does by tools is asked about one by one all the same.
		const code = "from hermes_tools import terminal\nprint(terminal('sh -c ls')['status'])";
		expect((await run({ code }, { by })).output).toBe("blocked\n");
		expect((await run({ code: "print(2)" }, { by })).output).toBe("2\n");
		expect(asked).toEqual([
			{ kind: "script", language: "python", code },
			{ kind: "command", command: "sh -c ls", cwd: folder.path },
		]);
		const inContainer = await by.call("execute_code", { code: "print(3)" }, { ranOn: "docker:1234" });
		expect(JSON.parse(inContainer.answer).output).toBe("3\n");
		expect(asked).toHaveLength(2);
	});

	test("is refused where nobody can be asked", async () => {
		const by = await open({ approve: { mode: "deny" } });
		const { answer, denied } = await by.call("execute_code", { code: "print(1)" });
		expect([denied, JSON.parse(answer)]).toEqual([
			true,
			{
				error: expect.stringContaining("Denied this script: it needs approval and nobody can be asked here"),
				status: "blocked",
				tool_calls_made: 0,
				duration_seconds: 0,
			},
		]);
	});

	test("describes exactly the functions there are, and the limits that are set", () => {
		const describe = (enabled: string[], settings: Settings = {}) =>
			describeScripts({
				availableTools: new Set(enabled),
				settings: settingsOf(settings),
				parameters(name) {
					const tool = session.registry.get(name);
					return tool && session.registry.parameters(tool);
				},
			}).description ?? "";
		const some = describe(["execute_code", "read_file", "patch"], { "code_execution.timeout": 42 });
		expect(some).toContain("from hermes_tools import patch, read_file.");
		expect(some).toContain("read_file(path: str, offset: int = 1, limit: int = 500)");
		expect(some).toContain("It may take 42 seconds");
		expect(some).not.toContain("terminal(");
		expect(describe(["execute_code"])).toContain("It can call no tools in this session");
	});
});

describe("execute_code in TypeScript", () => {
	const typescript = { language: "typescript" };

	test("runs in this executable: types, top-level await, many calls at once", async () => {
		const code = `import { terminal, json_parse, shell_quote, ToolError } from "hermes_tools";
const wait: number = await Promise.resolve(2);
const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => terminal({ command: "echo " + n })));
console.log(wait, answers.map((answer) => answer.output).join(), shell_quote("a'b"), json_parse('{"a":"\\n"}').a.length);
console.log((await terminal("echo short")).output, process.env.BUN_BE_BUN, new ToolError("x") instanceof Error);`;
		expect(await run({ ...typescript, code })).toEqual({
			status: "success",
			output: "2 0,1,2,3,4,5,6,7,8,9,10,11 'a'\"'\"'b' 1\nshort undefined true\n",
			tool_calls_made: 13,
			language: "typescript",
			ran_on: "local",
		});
	});

	test("finds the module by each of its names, and carries 200 KB", async () => {
		const code = `import { write_file } from "./hermes_tools.ts";
import { read_file } from "./hermes_tools";
await write_file({ path: "${folder.path}/large", content: ("漢".repeat(40) + "\\n").repeat(1900) });
console.log(Buffer.byteLength((await read_file({ path: "${folder.path}/large", limit: 2000 })).content) > 200000);`;
		expect((await run({ ...typescript, code })).output).toBe("true\n");
	});

	test("loads nothing of the folder it works in", async () => {
		using hostile = temporaryFolder();
		writeFileSync(join(hostile.path, "evil.ts"), "console.log('EVIL')");
		writeFileSync(join(hostile.path, "bunfig.toml"), 'preload = ["./evil.ts"]\n');
		writeFileSync(join(hostile.path, ".env"), "SECRET_FROM_ENV=evil\n");
		writeFileSync(join(hostile.path, "tsconfig.json"), '{"compilerOptions":{"paths":{"hermes_tools":["./evil.ts"]}}}');
		const place = await openHere(hostile.path);
		try {
			const code = `import { terminal } from "hermes_tools";
let found; try { found = await import("is-odd"); } catch { found = "none"; }
console.log(typeof terminal, process.env.SECRET_FROM_ENV, found, process.cwd());`;
			const by = await openScriptSession(place.shell);
			expect((await run({ ...typescript, code }, { by })).output).toBe(`function undefined none ${hostile.path}\n`);
		} finally {
			await place[Symbol.asyncDispose]();
		}
	});

	test("stops at the limit of calls, and says where an error is", async () => {
		const code = `import { web_search, retry } from "hermes_tools";
for (let n = 0; ; n++) await retry(() => web_search({ query: String(n) }), 3, 30);`;
		const limited = await run({ ...typescript, code }, { settings: { "code_execution.max_tool_calls": 2 } });
		expect([limited.status, limited.tool_calls_made]).toEqual(["error", 2]);
		expect(limited.error).toContain("ToolLimitError: Tool call limit reached (2)");
		const broken = await run({ ...typescript, code: "console.log('ran');\nconst x = ;\n" });
		expect([broken.status, broken.error]).toEqual([
			"error",
			expect.stringMatching(/2 \| const x = ;[\s\S]*\^[\s\S]*script\.ts:2/),
		]);
		expect(broken.output).not.toMatch(/^ran/);
	});

	test("takes the place of Python where there is none", async () => {
		const bare = await openHere(folder.path);
		try {
			await execute(bare.shell, "export PATH=/nothing", { signal: new AbortController().signal });
			const by = await openScriptSession(bare.shell);
			expect(await run({ code: "console.log(1)" }, { by })).toEqual({
				status: "success",
				output: "1\n",
				tool_calls_made: 0,
				language: "typescript",
				ran_on: "local",
			});
			expect((await run({ code: "print(1)", language: "python" }, { by })).error).toBe(
				'There is no Python 3.8 or later on local. Write the script in TypeScript (language: "typescript"), or install python3',
			);
		} finally {
			await bare[Symbol.asyncDispose]();
		}
	});
});
