/** The servers of the protocol's makers, over each transport. */

import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { listenEverything } from "../support/mcp-official.ts";
import { officialServers, openMcp } from "../support/mcp-servers.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Servers start, and other tests may keep the machine busy.
setDefaultTimeout(60_000);

const { everything, filesystem } = officialServers;

test("server-everything works over stdio, streamable HTTP and SSE", async () => {
	await using http = await listenEverything("streamableHttp");
	await using sse = await listenEverything("sse");
	using home = temporaryFolder();
	const servers = {
		stdio: everything,
		http: { url: http.url },
		sse: { url: sse.url, type: "sse" },
		old: { url: sse.url },
	};
	await using mcp = await openMcp(servers, { home: home.path });
	const answersOf = async (server: string) => {
		const call = (tool: string, args: object = {}) => mcp.call(`mcp_${server}_${tool}`, args);
		const { resources = [] } = await call("list_resources");
		const [{ uri = "" } = {}] = resources as { uri?: string }[];
		const picture = await call("get_tiny_image");
		return {
			echo: await call("echo", { message: "hello" }),
			sum: (await call("get_sum", { a: 2, b: 3 })).result,
			weather: Object.keys((await call("get_structured_content", { location: "New York" })).result as object).sort(),
			picture: String(picture.result)
				.replace(/MEDIA:\S+\.png/, "MEDIA:file.png")
				.split("\n").length,
			long: (await call("trigger_long_running_operation", { duration: 0.2, steps: 2 })).result,
			wrong: "error" in (await call("echo", {})),
			resource: String((await call("read_resource", { uri })).result).length > 0,
			prompts: ((await call("list_prompts")).prompts as { name: string }[])
				.map(({ name }) => name)
				.includes("simple-prompt"),
			prompt: (await call("get_prompt", { name: "args-prompt", arguments: { city: "Ulm" } })).messages,
		};
	};
	const stdio = await answersOf("stdio");
	expect(stdio).toEqual({
		echo: { result: "Echo: hello" },
		sum: "The sum of 2 and 3 is 5.",
		weather: ["conditions", "humidity", "temperature"],
		picture: 3,
		long: "Long running operation completed. Duration: 0.2 seconds, Steps: 2.",
		wrong: true,
		resource: true,
		prompts: true,
		prompt: [{ role: "user", content: "What's weather in Ulm?" }],
	});
	expect(await answersOf("http")).toEqual(stdio);
	expect(await answersOf("sse")).toEqual(stdio);
	// Nobody said that it is an old one.
	expect(await mcp.call("mcp_old_echo", { message: "hello" })).toEqual(stdio.echo);
	expect(mcp.servers.statuses().map(({ state }) => state)).toEqual([
		"connected",
		"connected",
		"connected",
		"connected",
	]);
});

test("server-filesystem reads and writes in its folder and nowhere else", async () => {
	using folder = temporaryFolder();
	const file = join(folder.path, "a.txt");
	await using mcp = await openMcp({ fs: filesystem(folder.path) });
	expect((await mcp.call("mcp_fs_write_file", { path: file, content: "hi" })).error).toBeUndefined();
	expect(await Bun.file(file).text()).toBe("hi");
	expect((await mcp.call("mcp_fs_read_text_file", { path: file })).result).toBe("hi");
	expect((await mcp.call("mcp_fs_read_text_file", { path: "/etc/passwd" })).error).toContain("Access denied");
});

test.each(["sse", "streamableHttp"] as const)(
	"server-everything over %s that was started anew answers the next call or the one after",
	async (kind) => {
		const old = await listenEverything(kind);
		await using mcp = await openMcp({ s: { url: old.url } });
		expect(await mcp.call("mcp_s_echo", { message: "one" })).toEqual({ result: "Echo: one" });
		await old[Symbol.asyncDispose]();
		await using _again = await listenEverything(kind, old.port);
		await mcp.until(async () => (await mcp.call("mcp_s_echo", { message: "two" })).result === "Echo: two");
	},
);
