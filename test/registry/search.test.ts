/** Search for tools: when it starts, what it finds, and that the bridge widens nothing. */

import { describe, expect, test } from "bun:test";
import { createAssembler } from "../../lib/registry/definitions.ts";
import { type DispatchOptions, dispatch } from "../../lib/registry/dispatch.ts";
import { createHooks } from "../../lib/registry/hooks.ts";
import { createRegistry } from "../../lib/registry/registry.ts";
import { rank } from "../../lib/registry/search/rank.ts";
import { defaultSearch, readSearchSettings, type SearchSettings } from "../../lib/registry/search/settings.ts";
import { wordsOf } from "../../lib/registry/search/words.ts";
import type { Approve } from "../../lib/security/approval.ts";
import { bareContext, plainTool, serverTool } from "../support/tools.ts";

const parameters = { type: "object", properties: { channel_id: { type: "string" }, text: { type: "string" } } };
const registry = createRegistry([
	plainTool("terminal", "terminal"),
	plainTool("x_search", "x_search", { description: "Search posts on X" }),
	plainTool("greet", "greeter", { source: { kind: "plugin", name: "greeter" } }),
	serverTool("slack_post_message", parameters, { description: "Post a message to a Slack channel" }),
	serverTool(
		"github_list_issues",
		{ type: "object", properties: { repo: {} } },
		{ description: "List issues of a repository" },
	),
	serverTool("weather_cn", { type: "object", properties: {} }, { description: "查询城市的天气预报" }),
	serverTool("secret_admin", { type: "object", properties: {} }, { description: "Delete everything" }),
]);
const on: SearchSettings = { ...defaultSearch, enabled: "on" };
const everybody = ["terminal", "x_search", "greeter", "slack_post_message", "github_list_issues", "weather_cn"];
const { definitions, deferred, names } = await createAssembler(registry).assemble({ enabled: everybody, search: on });

/** Calls a bridge in a session that does not have `secret_admin`. */
async function call(name: string, args: unknown, more: Partial<DispatchOptions> = {}) {
	const options = {
		registry,
		call: { name, arguments: JSON.stringify(args) },
		context: bareContext,
		approve: (async () => ({ approved: true })) satisfies Approve,
		allowed: names,
		catalogue: { deferred, settings: on, get: registry.get.bind(registry) },
		...more,
	};
	return JSON.parse((await dispatch(options)).answer);
}

const found = async (query: string, limit?: number) =>
	((await call("tool_search", { query, limit })).matches as { name: string }[]).map((match) => match.name);

describe("assemble() with search", () => {
	test("shows the core and three bridges, and keeps every name callable", () => {
		expect(definitions.map(({ name }) => name)).toEqual(["terminal", "tool_search", "tool_describe", "tool_call"]);
		expect(deferred.map(({ name }) => name)).toEqual([
			"github_list_issues",
			"greet",
			"slack_post_message",
			"weather_cn",
			"x_search",
		]);
		expect(names.has("greet")).toBe(true);
		expect(definitions[1]?.description).toContain("5 are not listed here");
	});

	test.each([
		["off", undefined, false],
		["auto", undefined, false],
		["auto", 1_000, true],
		["auto", 1_000_000, false],
		["on", 1_000_000, true],
	] as const)("%s with a context of %p tokens starts: %p", async (enabled, contextTokens, isActive) => {
		const search = { ...defaultSearch, enabled };
		const list = await createAssembler(registry).assemble({ search, contextTokens });
		expect(list.definitions.some(({ name }) => name === "tool_search")).toBe(isActive);
	});

	test("auto starts at 20,000 tokens of tools when the context is unknown", async () => {
		const large = Array.from({ length: 81 }, (_, index) =>
			serverTool(`far_${index}`, { type: "object" }, { description: "x".repeat(1_000) }),
		);
		const list = await createAssembler(createRegistry(large)).assemble({ search: defaultSearch });
		expect(list.definitions.map(({ name }) => name)).toEqual(["tool_search", "tool_describe", "tool_call"]);
	});
});

describe("tool_search", () => {
	test("ranks by words of names, descriptions and parameters, and says where a tool comes from", async () => {
		expect(await call("tool_search", { query: "slack channel" })).toEqual({
			query: "slack channel",
			total_available: 5,
			matches: [
				{
					name: "slack_post_message",
					source: "mcp",
					source_name: "demo",
					description: "Post a message to a Slack channel",
				},
			],
		});
		const [x] = (await call("tool_search", { query: "posts on x" })).matches;
		expect(x).toMatchObject({ name: "x_search", source: "builtin", source_name: "x_search" });
		const [greet] = (await call("tool_search", { query: "greet" })).matches;
		expect(greet).toMatchObject({ source: "plugin", source_name: "greeter" });
	});

	test.each([
		["issues repository", ["github_list_issues"]],
		["channel_id", ["slack_post_message"]],
		["天气", ["weather_cn"]],
		["预报", ["weather_cn"]],
		["gith", ["github_list_issues"]],
		["nothing like it", []],
	])("finds for %s", async (query, expected) => {
		expect(await found(query)).toEqual(expected);
	});

	test("keeps the limit within bounds, whatever a model sends", async () => {
		expect(await found("post list greet search 天气", 2)).toHaveLength(2);
		expect(await found("post list greet search 天气", 0)).toHaveLength(5);
		expect(await found("post list greet search 天气", -3)).toHaveLength(1);
		expect((await call("tool_search", { query: "post list", limit: "many" })).matches).toHaveLength(2);
		expect((await call("tool_search", { query: " " })).error).toContain("the query is empty");
	});
});

describe("tool_describe and tool_call", () => {
	test("tool_describe shows the arguments", async () => {
		expect(await call("tool_describe", { name: "slack_post_message" })).toEqual({
			name: "slack_post_message",
			description: "Post a message to a Slack channel",
			parameters,
		});
	});

	test.each([{ arguments: { text: "hi" } }, { arguments: '{"text":"hi"}' }])(
		"tool_call runs the tool with %j",
		async (more) => {
			expect(await call("tool_call", { name: "slack_post_message", ...more })).toEqual({ args: { text: "hi" } });
		},
	);

	test("every hook sees the real tool, with the ids of the call (the original lost them)", async () => {
		const hooks = createHooks();
		const told: unknown[] = [];
		for (const name of ["tool_request", "pre_tool_call", "post_tool_call"]) {
			hooks.on(
				name,
				(payload) =>
					void told.push([name, payload.tool_name, payload.turn_id, payload.api_request_id, payload.tool_call_id]),
			);
		}
		const context = { ...bareContext, turnId: "turn", requestId: "request", callId: "call" };
		await call("tool_call", { name: "greet" }, { hooks, context });
		expect(told).toEqual([
			["tool_request", "greet", "turn", "request", "call"],
			["pre_tool_call", "greet", "turn", "request", "call"],
			["post_tool_call", "greet", "turn", "request", "call"],
		]);
	});

	test.each([
		[{ name: "" }, "without its name"],
		[{}, "without its name"],
		[{ name: "tool_call" }, "through itself"],
		[{ name: "terminal" }, "it is not among the tools that can be found here"],
		[{ name: "secret_admin" }, "it is not among the tools that can be found here"],
		[{ name: "nowhere" }, "no tool has that name"],
		[{ name: "greet", arguments: "{" }, "not valid JSON"],
		[{ name: "greet", arguments: "[]" }, "must be a JSON object"],
	])("tool_call refuses %j", async (args, reason) => {
		expect((await call("tool_call", args)).error).toContain(reason);
	});

	test("refuses a tool that the session found and lost", async () => {
		expect((await call("tool_call", { name: "greet" }, { allowed: new Set(["terminal"]) })).error).toContain(
			"it is not enabled in this session",
		);
	});

	test("the bridges are unknown names where nothing is deferred", async () => {
		expect((await call("tool_search", { query: "x" }, { catalogue: undefined })).error).toContain(
			"no tool has that name",
		);
	});
});

describe("wordsOf()", () => {
	test.each([
		["readFile_v2 HTTP", ["read", "file", "v2", "http"]],
		["Ünïcode ÜBER", ["ünïcode", "über"]],
		["天气预报", ["天气", "气预", "预报"]],
		["天", ["天"]],
		["搜索web页面", ["搜索", "web", "页面"]],
		["カレンダー", ["カレ", "レン", "ンダ", "ダー"]],
		["ｆｕｌｌ", ["full"]],
		["", []],
	])("of %s", (text, words) => {
		expect(wordsOf(text)).toEqual(words);
	});
});

describe("rank()", () => {
	test("puts rare words before common ones, and short texts before long ones", () => {
		const entries = [
			{ key: "a", text: "list files" },
			{ key: "b", text: "list calendar events" },
			{ key: "c", text: "list mails and much more than that in many words" },
		];
		const keys = (query: string) => rank(query, entries).map(({ key }) => key);
		expect([keys("list calendar"), keys("list"), keys("zebra")]).toEqual([["b", "a", "c"], ["a", "b", "c"], []]);
	});
});

describe("readSearchSettings()", () => {
	test.each<[unknown, Partial<SearchSettings>]>([
		[true, { enabled: "auto" }],
		[false, { enabled: "off" }],
		[undefined, { enabled: "auto" }],
		["nonsense", { enabled: "auto" }],
		[{ enabled: "yes" }, { enabled: "on" }],
		[{ enabled: "true" }, { enabled: "on" }],
		[{ enabled: 0 }, { enabled: "off" }],
		[
			{ threshold_pct: 300, max_search_limit: 99, search_default_limit: 70 },
			{ thresholdPercent: 100, mostResults: 50, defaultLimit: 50 },
		],
	])("reads %j", (value, expected) => {
		expect(readSearchSettings(value)).toEqual({ ...defaultSearch, ...expected });
	});
});
