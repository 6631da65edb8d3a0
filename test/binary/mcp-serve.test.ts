/** The compiled binary as an MCP server: for the SDK's client and for the Inspector, over both wires. */

import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { builtBinary } from "../support/built-binary.ts";
import { connectClient, connectOverHttp } from "../support/mcp-client.ts";
import { inspect } from "../support/mcp-inspector.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Builds the binary when it is old, and other tests may keep the machine busy.
setDefaultTimeout(120_000);

let hermes: string;

beforeAll(async () => {
	hermes = await builtBinary();
}, 180_000);

/** No variable of whoever runs the tests. */
const variables = (home: string) => ({
	PATH: "/usr/local/bin:/usr/bin:/bin",
	HOME: home,
	HERMES_HOME: join(home, ".hermes"),
});

const echo = { name: "terminal", args: { command: "echo from $((40 + 2))" } };
const answer = { output: "from 42", exit_code: 0, ran_on: "local" };

test("the SDK's client calls tools over standard input", async () => {
	using home = temporaryFolder();
	const transport = new StdioClientTransport({
		command: hermes,
		args: ["mcp", "serve", "--tools"],
		cwd: home.path,
		env: variables(home.path),
	});
	await using client = await connectClient(transport);
	expect((await client.client.listTools()).tools).toHaveLength(7);
	expect((await client.call(echo.name, echo.args)).answer).toMatchObject(answer);
	await client.call("write_file", { path: "a.txt", content: "one" });
	expect((await client.call("read_file", { path: "a.txt" })).answer.content).toContain("one");
	expect(client.errors).toEqual([]);
});

describe("over HTTP", () => {
	test("the SDK's client and the Inspector call tools beside each other", async () => {
		using home = temporaryFolder();
		const child = Bun.spawn([hermes, "mcp", "serve", "--tools", "--http", "--port", "0"], {
			cwd: home.path,
			env: variables(home.path),
			stdin: "ignore",
			stdout: "ignore",
			stderr: "pipe",
		});
		const reader = child.stderr.pipeThrough(new TextDecoderStream()).getReader();
		let shown = "";
		while (!shown.includes("; clients send")) shown += (await reader.read()).value ?? "";
		const url = /http:\/\/\S+\/mcp/.exec(shown)?.[0] ?? "";
		const key = readFileSync(join(home.path, ".hermes/mcp-serve.key"), "utf8").trim();
		await using client = await connectOverHttp(url, key);
		const header = ["--header", `Authorization: Bearer ${key}`];
		const called = ["--method", "tools/call", "--tool-name", echo.name, "--tool-arg", `command=${echo.args.command}`];
		const [own, inspected] = await Promise.all([
			client.call(echo.name, echo.args),
			inspect([...called, ...header], [url], { home: home.path }),
		]);
		expect(own.answer).toMatchObject(answer);
		expect(textOf(inspected)).toMatchObject(answer);
		expect(
			inspect([...called, "--header", "Authorization: Bearer wrong"], [url], { home: home.path }),
		).rejects.toThrow();
		child.kill("SIGTERM");
		expect(await child.exited).toBe(143);
	});
});

describe("the Inspector over standard input", () => {
	test("lists the tools and calls one", async () => {
		using home = temporaryFolder();
		const target = [hermes, "mcp", "serve", "--tools"];
		const listed = await inspect(["--method", "tools/list", "--strict"], target, { home: home.path });
		expect(listed).toMatchObject({ tools: expect.arrayContaining([expect.objectContaining({ name: "terminal" })]) });
		const called = ["--method", "tools/call", "--tool-name", echo.name, "--tool-arg", `command=${echo.args.command}`];
		expect(textOf(await inspect(called, target, { home: home.path }))).toMatchObject(answer);
	});

	test("reads the conversations", async () => {
		using home = temporaryFolder();
		const called = ["--method", "tools/call", "--tool-name", "conversations_list"];
		const result = await inspect(called, [hermes, "mcp", "serve"], { home: home.path });
		expect(textOf(result)).toEqual({ count: 0, conversations: [] });
	});
});

function textOf({ content }: Readonly<Record<string, unknown>>): unknown {
	return JSON.parse(Array.isArray(content) ? content[0].text : "null");
}
