/** The modules that scripts import: their functions are those of the tools, and they load anywhere. */

import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadPlugins } from "../../lib/base/plugins.ts";
import { argumentsSchema } from "../../lib/registry/json-schema.ts";
import type { Tool } from "../../lib/registry/tool.ts";
import { offerOf } from "../../lib/rpc/script-tools.ts";
import { pythonStub } from "../../lib/rpc/stub/python-stub.ts";
import { typescriptStub } from "../../lib/rpc/stub/typescript-stub.ts";
import { tools } from "../../lib/tools/all.ts";
import { runProgram } from "../support/run-program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { serverTool } from "../support/tools.ts";

const { loaded } = await loadPlugins(tools);
const parametersOf = (tool: Tool) => tool.parameters ?? argumentsSchema(tool.args);
const offer = offerOf([...loaded.values()], { parameters: parametersOf, withServers: false });
const github = { kind: "mcp", name: "git-hub" } as const;
const servers = [
	serverTool("mcp_git_hub_create_issue", {}, { source: github, description: 'Opens an "issue" \\ */ """' }),
	serverTool("mcp_git_hub_list_pulls", {}, { source: github, description: "Lists pull requests" }),
];

/** Runs a program beside the stubs. */
async function runBeside(stubs: Readonly<Record<string, string>>, argv: readonly string[]) {
	using folder = temporaryFolder();
	for (const [name, text] of Object.entries(stubs)) writeFileSync(join(folder.path, name), text);
	return await runProgram(argv, { cwd: folder.path, env: { PATH: "/usr/bin:/bin", PYTHONDONTWRITEBYTECODE: "1" } });
}

const describeFunctions = `
import inspect, json, hermes_tools
def facts(name):
    parameters = inspect.signature(getattr(hermes_tools, name)).parameters.values()
    return {p.name: "required" if p.default is p.empty else p.default for p in parameters}
names = [n for n in hermes_tools.__all__ if inspect.isfunction(getattr(hermes_tools, n))]
print(json.dumps({n: facts(n) for n in names}))
`;

describe("pythonStub()", () => {
	test("has the parameters and defaults of each tool's schema", async () => {
		const { stdout, stderr } = await runBeside({ "hermes_tools.py": pythonStub(offer), "a.py": describeFunctions }, [
			"/usr/bin/python3",
			"a.py",
		]);
		expect(stderr).toBe("");
		const { json_parse, shell_quote, retry, raise_errors, ...functions } = JSON.parse(stdout);
		expect([json_parse, shell_quote, retry, raise_errors]).toEqual([
			{ text: "required" },
			{ text: "required" },
			{ action: "required", max_attempts: 3, delay: 2 },
			{ on: true },
		]);
		const expected = [...loaded.values()]
			.filter(({ name }) => offer.functions.some((one) => one.name === name))
			.map((tool) => {
				const { properties = {}, required = [] } = parametersOf(tool) as {
					properties?: Record<string, { default?: unknown }>;
					required?: string[];
				};
				const facts = Object.entries(properties)
					.filter(
						([name]) =>
							tool.name !== "terminal" || !/background|pty|notify_on_complete|watch_patterns|on_timeout/.test(name),
					)
					.map(([name, schema]) => [name, required.includes(name) ? "required" : (schema.default ?? null)]);
				return [tool.name, Object.fromEntries(facts)];
			});
		expect(functions).toEqual(Object.fromEntries(expected));
	});

	test("lets patch and search_files be called in the order that people write", () => {
		const [patch, search] = ["patch", "search_files"].map((name) => offer.functions.find((one) => one.name === name));
		expect(patch?.parameters.slice(0, 3).map(({ name }) => name)).toEqual(["path", "old_string", "new_string"]);
		expect(search?.parameters.slice(0, 3).map(({ name }) => name)).toEqual(["pattern", "target", "path"]);
	});

	test("reads as Python 3.8, and imports no socket and no JSON before the first call", async () => {
		const program = `
import ast, sys
source = open("hermes_tools.py").read()
ast.parse(source, feature_version=(3, 8))
before = set(sys.modules)
import hermes_tools
print(sorted({"socket", "json", "threading", "typing", "shlex"} & (set(sys.modules) - before)))
print(all(getattr(hermes_tools, name).__doc__ for name in hermes_tools.__all__))
`;
		const { stdout, stderr } = await runBeside({ "hermes_tools.py": pythonStub(offer), "a.py": program }, [
			"/usr/bin/python3",
			...["-I", "-S", "-c", 'import sys; sys.path.insert(0, "."); exec(open("a.py").read())'],
		]);
		expect([stderr, stdout]).toEqual(["", "[]\nTrue\n"]);
	});

	test("has helpers that work without a connection", async () => {
		const program = `
import hermes_tools as h
print(h.json_parse('{"a": "x\\ty"}'), h.json_parse({"b": 1}), h.shell_quote("it's"))
tries = []
def flaky():
    tries.append(1)
    if len(tries) < 3: raise OSError("no")
    return len(tries)
print(h.retry(flaky, delay=0.001))
try: h.retry(lambda: 1 / 0, max_attempts=2, delay=0)
except ZeroDivisionError: print("the last error")
try: h.terminal("ls")
except h.ToolError as error: print(error)
try: h.terminal(object())
except h.ToolError as error: print(error)
`;
		const { stdout } = await runBeside({ "hermes_tools.py": pythonStub(offer), "a.py": program }, [
			"/usr/bin/python3",
			"a.py",
		]);
		expect(stdout).toBe(
			[
				"{'a': 'x\\ty'} {'b': 1} 'it'\"'\"'s'",
				"3",
				"the last error",
				"this script was not started by Hermes: HERMES_RPC_SOCKET is not set",
				"this script was not started by Hermes: HERMES_RPC_SOCKET is not set",
				"",
			].join("\n"),
		);
	});

	test("R076: has the tools of servers as mcp.<server>.<tool>, found by search_tools, when that is on", async () => {
		const withServers = offerOf([...loaded.values(), ...servers], { parameters: parametersOf, withServers: true });
		const without = offerOf([...loaded.values(), ...servers], { parameters: parametersOf, withServers: false });
		expect([withServers.servers.length, without.servers.length]).toEqual([2, 0]);
		const program = `
import hermes_tools as h
h._call = lambda name, **arguments: (name, arguments)
print(h.mcp.git_hub.create_issue(title="x"), h.mcp.git_hub.create_issue.__doc__)
print(h.search_tools("pull requests"))
`;
		const python = await runBeside({ "hermes_tools.py": pythonStub(withServers), "a.py": program }, [
			"/usr/bin/python3",
			"a.py",
		]);
		const found = "[{'name': 'git_hub.list_pulls', 'description': 'Lists pull requests'}]";
		expect(python.stdout).toBe(`('mcp_git_hub_create_issue', {'title': 'x'}) Opens an "issue" \\ */ """\n${found}\n`);
		const typescript = await runBeside(
			{
				"hermes_tools.ts": typescriptStub(withServers),
				"a.ts": `import { mcp, search_tools } from "./hermes_tools.ts";
console.log(Object.keys(mcp.git_hub!).join(), JSON.stringify(search_tools("pull requests")));`,
			},
			[process.execPath, "a.ts"],
		);
		expect(typescript.stdout).toBe(
			'create_issue,list_pulls [{"name":"git_hub.list_pulls","description":"Lists pull requests"}]\n',
		);
	});
});

describe("typescriptStub()", () => {
	test("has the parameters of each tool's schema, and can be erased to JavaScript", () => {
		const text = typescriptStub(offer);
		for (const { name, parameters } of offer.functions) {
			const fields = parameters.map((one) => `${one.name}${one.isRequired ? "" : "?"}: `);
			const [, signature = ""] =
				new RegExp(`export function ${name}\\(args: \\{ (.*) \\}\\): Promise`).exec(text) ?? [];
			expect([name, fields.filter((field) => !signature.includes(field))]).toEqual([name, []]);
			expect(signature.split(", ").length).toBe(parameters.length);
		}
		const { exports } = new Bun.Transpiler({ loader: "ts" }).scan(text);
		expect(exports).toEqual(
			expect.arrayContaining(["ToolError", "ToolLimitError", "json_parse", "shell_quote", "retry"]),
		);
	});
});
