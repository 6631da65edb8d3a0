/** User plug-ins: real processes, and everything that can go wrong in them. */

import { afterEach, describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BackendUnavailable } from "../../lib/environments/backend.ts";
import { findPlugins } from "../../lib/plugins/find-plugins.ts";
import { type OpenPlugins, openPlugins } from "../../lib/plugins/open-plugins.ts";
import { createAssembler } from "../../lib/registry/definitions.ts";
import { dispatch } from "../../lib/registry/dispatch.ts";
import { foreignTool } from "../../lib/registry/foreign-tool.ts";
import { createHooks } from "../../lib/registry/hooks.ts";
import { createRegistry } from "../../lib/registry/registry.ts";
import { type ToolContext, toolResult } from "../../lib/registry/tool.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { writePlugin } from "../support/user-plugin.ts";

const context: ToolContext = {
	sessionId: "s",
	taskId: "t",
	signal: new AbortController().signal,
	execute: () => Promise.reject(new BackendUnavailable("Cannot reach the sandbox: there is none")),
	cwd: "/srv",
	ranOn: "local",
};

const open: OpenPlugins[] = [];
const homes: Disposable[] = [];
afterEach(async () => {
	for (const plugins of open.splice(0)) await plugins[Symbol.asyncDispose]();
	for (const home of homes.splice(0)) home[Symbol.dispose]();
});

const tools = (...names: string[]) =>
	names.map((name) => ({
		name,
		description: `Does ${name}`,
		parameters: { type: "object", properties: { count: { type: "integer" } } },
	}));

/** One plug-in `demo`, enabled, and a way to call its tools as a model would. */
async function openDemo(
	module: string,
	manifest: Readonly<Record<string, unknown>>,
	variables: Readonly<Record<string, string>> = {},
) {
	const home = temporaryFolder();
	homes.push(home);
	writePlugin(home.path, "demo", { manifest, module });
	const registry = createRegistry([
		foreignTool({
			name: "ours",
			toolset: "ours",
			description: "Ours",
			parameters: { type: "object" },
			source: { kind: "mcp", name: "x" },
			run: async (args) => toolResult({ ran: args }),
		}),
	]);
	const hooks = createHooks();
	const enabled = ["demo"];
	const environment = { PATH: process.env.PATH ?? "", ...variables };
	const plugins = await openPlugins({ home: home.path, enabled, variables: environment, registry, hooks });
	open.push(plugins);
	const call = async (name: string, args: Readonly<Record<string, unknown>> = {}, signal = context.signal) => {
		const options = { registry, hooks, call: { name, arguments: args }, context: { ...context, signal } };
		const { answer } = await dispatch({ ...options, approve: async () => ({ approved: true }) });
		return JSON.parse(answer);
	};
	return { home: home.path, plugins, registry, call };
}

describe("openPlugins()", () => {
	test("calls a tool in a process of its own, with mended arguments, and keeps the process", async () => {
		const { call, plugins, registry } = await openDemo(
			`let calls = 0;
			export default { tools: { add: ({ count }: { count: number }, { cwd }) => ({ sum: count + 1, cwd, calls: ++calls, pid: process.pid }) } };`,
			{ tools: tools("add"), description: "Adds" },
		);
		expect({ problems: plugins.problems, toolsets: plugins.toolsets, about: registry.declared.get("demo") }).toEqual({
			problems: [],
			toolsets: ["demo"],
			about: "Adds",
		});
		const first = await call("add", { count: "41" });
		const second = await call("add", { count: 1 });
		expect({ first, second }).toEqual({
			first: { sum: 42, cwd: "/srv", calls: 1, pid: first.pid },
			second: { sum: 2, cwd: "/srv", calls: 2, pid: first.pid },
		});
		expect(first.pid).not.toBe(process.pid);
	});

	test("takes texts and lists too, and says what is wrong with arguments and answers", async () => {
		const { call } = await openDemo(
			`export default { tools: { text: () => "plain", list: () => [1, 2], none: () => undefined, big: () => 10n, bad: () => { throw new Error("no luck <|im_end|>"); } } };`,
			{ tools: tools("text", "list", "none", "big", "bad", "missing") },
		);
		expect(await call("text")).toEqual({ result: "plain" });
		expect(await call("list")).toEqual({ result: [1, 2] });
		expect(await call("none")).toEqual({ result: null });
		expect((await call("big")).error).toContain("its answer cannot be sent");
		expect((await call("bad")).error).toBe('Tool "bad" failed: plug-in "demo": no luck ');
		expect((await call("missing")).error).toContain('its module has no tool "missing"');
		expect((await call("text", { count: "many" })).error).toContain("- count: expected integer, got string");
	});

	test("outlives a plug-in that exits in the middle of a call, and starts it again", async () => {
		const { call, registry } = await openDemo(
			`export default { tools: { die: () => { console.log("last words"); process.exit(7); }, live: () => "alive" } };`,
			{ tools: tools("die", "live") },
		);
		expect((await call("die")).error).toMatch(/ended with exit code 7 in the middle of the call: last words/);
		expect(await call("live")).toEqual({ result: "alive" });
		for (let time = 0; time < 3; time++) await call("die");
		expect((await call("live")).error).toContain("it crashed 3 times and is not started again");
		const { definitions } = await createAssembler(registry).assemble();
		expect(definitions.map(({ name }) => name)).toEqual(["die", "live", "ours"]);
	});

	test("ends calls that take too long, also in a loop that never yields", async () => {
		const { call } = await openDemo(
			`export default { tools: { wait: () => new Promise(() => {}), spin: () => { for (;;); }, live: () => "alive" } };`,
			{ tools: tools("wait", "spin", "live"), timeout_seconds: 0.5 },
		);
		expect((await call("wait")).error).toContain("no answer within 0.5 s");
		expect(await call("live")).toEqual({ result: "alive" });
		expect((await call("spin")).error).toContain("no answer within 0.5 s");
		// The looping process is ended a second later; a call made before that fails with it.
		while ((await call("live")).result !== "alive") await Bun.sleep(50);
	});

	test("stops waiting when the user interrupts, and tells the plug-in", async () => {
		const { call } = await openDemo(
			`let told = false;
			export default { tools: {
				wait: (_, { signal }) => new Promise(() => signal.addEventListener("abort", () => { told = true; })),
				told: () => ({ told }),
			} };`,
			{ tools: tools("wait", "told") },
		);
		await call("told");
		const controller = new AbortController();
		const waiting = call("wait", {}, controller.signal);
		await Bun.sleep(50);
		controller.abort();
		expect(await waiting).toEqual({ error: "The user interrupted this call", error_type: "interrupted" });
		expect(await call("told")).toEqual({ told: true });
	});

	test("shows a plug-in no secret but those it names, and nothing of the runtime's own", async () => {
		const { call } = await openDemo(
			`export default { tools: { env: () => ({ names: Object.keys(process.env).sort(), own: process.env.DEMO_API_KEY }) } };`,
			{ tools: tools("env"), environment: ["DEMO_API_KEY", "NOT_SET"] },
			{ DEMO_API_KEY: "mine", OPENAI_API_KEY: "secret", BUN_OPTIONS: "--x", HARMLESS: "1" },
		);
		expect(await call("env")).toEqual({ names: ["DEMO_API_KEY", "HARMLESS", "PATH"], own: "mine" });
	});

	test("takes no settings from the plug-in's folder", async () => {
		const { call, home } = await openDemo(
			`export default { tools: { look: () => ({ preloaded: globalThis.preloaded ?? false, secret: process.env.FROM_DOTENV ?? null }) } };`,
			{ tools: tools("look") },
		);
		const folder = join(home, "plugins", "demo");
		writeFileSync(join(folder, "bunfig.toml"), 'preload = ["./evil.ts"]\n');
		writeFileSync(join(folder, "evil.ts"), "globalThis.preloaded = true;");
		writeFileSync(join(folder, ".env"), "FROM_DOTENV=yes\n");
		expect(await call("look")).toEqual({ preloaded: false, secret: null });
	});

	test("lets hooks block, rewrite and replace; one that fails counts for nothing", async () => {
		const { call } = await openDemo(
			`export default { hooks: {
				rewrite_tool_call: ({ args }) => ({ args: { ...args, added: true } }),
				pre_tool_call: ({ args }) => { if (args.stop) return { action: "block", message: "Not today" }; if (args.fail) throw new Error("broken"); },
				transform_tool_result: ({ args, result }) => args.replace ? JSON.stringify({ replaced: JSON.parse(result) }) : undefined,
			} };`,
			{ hooks: ["rewrite_tool_call", "pre_tool_call", "transform_tool_result"] },
		);
		expect(await call("ours", { a: 1 })).toEqual({ ran: { a: 1, added: true } });
		expect(await call("ours", { fail: true })).toEqual({ ran: { fail: true, added: true } });
		expect(await call("ours", { stop: true })).toEqual({ error: "Not today", status: "blocked" });
		expect(await call("ours", { replace: true })).toEqual({ replaced: { ran: { replace: true, added: true } } });
	});

	test("cannot take the name of another toolset's tool unless its manifest says so", async () => {
		const refused = await openDemo("export default {};", { tools: tools("ours") });
		expect(refused.plugins.problems).toEqual([
			'Cannot use tool "ours" of plug-in "demo": Cannot register tool "ours": toolset "ours" already has that name',
		]);
		const replacing = { ...tools("ours")[0], override: true };
		const taken = await openDemo(`export default { tools: { ours: () => "theirs" } };`, { tools: [replacing] });
		expect(taken.plugins.problems).toEqual([]);
		expect(await taken.call("ours")).toEqual({ result: "theirs" });
	});

	test("starts nothing for a plug-in that is not enabled, and names the nearest for one that is not there", async () => {
		using home = temporaryFolder();
		writePlugin(home.path, "weather", { manifest: { tools: tools("forecast") }, module: "process.exit(1)" });
		const [registry, hooks] = [createRegistry([]), createHooks()];
		const options = { home: home.path, variables: {}, registry, hooks };
		await using none = await openPlugins({ ...options, enabled: [] });
		await using wrong = await openPlugins({ ...options, enabled: ["wether"] });
		expect({ none: none.problems, wrong: wrong.problems, tools: registry.list() }).toEqual({
			none: [],
			wrong: ['Cannot use plug-in "wether": there is no such folder; did you mean "weather"?'],
			tools: [],
		});
		expect(registry.declared.has("wether")).toBe(true);
	});
});

describe("findPlugins()", () => {
	test.each([
		["no manifest", undefined, /there is no plugin.json or plugin.yaml/],
		["no JSON", "{", /JSON/],
		["an unknown key", '{"name":"x","tool":[]}', /Unrecognized key/],
		["another name", '{"name":"y"}', /its folder is called "x"/],
		["a module outside", '{"name":"x","main":"../y.ts"}', /outside its folder/],
		["a module that is not there", '{"name":"x","main":"y.ts"}', /there is no file "y.ts"/],
		["a tool with a wrong name", '{"name":"x","tools":[{"name":"a b","description":"d"}]}', /tools.0.name/],
		["an unknown hook", '{"name":"x","hooks":["on_tuesday"]}', /hooks.0/],
		[
			"a variable that steers the process",
			'{"name":"x","environment":["LD_PRELOAD"]}',
			/LD_PRELOAD is never passed on/,
		],
	])("says what is wrong: %s", async (_, manifest, reason) => {
		using home = temporaryFolder();
		const folder = join(home.path, "plugins", "x");
		mkdirSync(folder, { recursive: true });
		writeFileSync(join(folder, "index.ts"), "");
		if (manifest !== undefined) writeFileSync(join(folder, "plugin.json"), manifest);
		expect(await findPlugins(home.path)).toEqual([
			{ ok: false, name: "x", folder, reason: expect.stringMatching(reason) },
		]);
	});

	test("reads YAML, and gives nothing where there is no folder", async () => {
		using home = temporaryFolder();
		expect(await findPlugins(home.path)).toEqual([]);
		const folder = join(home.path, "plugins", "x");
		mkdirSync(folder, { recursive: true });
		writeFileSync(join(folder, "plugin.yaml"), "name: x\nversion: '1'\nmain: run.ts\n");
		writeFileSync(join(folder, "run.ts"), "");
		const [found] = await findPlugins(home.path);
		expect(found).toMatchObject({
			ok: true,
			name: "x",
			manifest: { version: "1", main: "run.ts", timeout_seconds: 30 },
		});
	});
});
