/** hermes mcp serve --tools over standard input and output: what clients can do, what they are asked, and what is left of them. */

import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connectToHermes } from "../support/mcp-client.ts";
import { startHermes } from "../support/run-hermes.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Each test starts processes, and other tests may keep the machine busy.
setDefaultTimeout(60_000);

const served = ["execute_code", "patch", "process", "read_file", "search_files", "terminal", "write_file"];

test("a client lists the tools and works with all of them in one session", async () => {
	using home = temporaryFolder();
	await using hermes = await connectToHermes(["--tools", "--yolo"], { home: home.path });
	const { tools } = await hermes.client.listTools();
	expect(tools.map(({ name }) => name)).toEqual(served);
	expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint, annotations?.destructiveHint])).toEqual(
		served.map((name) => (/^(?:read|search)/.test(name) ? [name, true, undefined] : [name, false, true])),
	);

	await hermes.call("terminal", { command: "mkdir work && cd work && export WORD=stays" });
	await hermes.call("write_file", { path: "note.txt", content: "one\ntwo\n" });
	await hermes.call("patch", { path: "note.txt", old_string: "two", new_string: "three" });
	const read = await hermes.call("read_file", { path: "note.txt" });
	expect(read.answer.content).toContain("three");
	const found = await hermes.call("search_files", { pattern: "three" });
	expect(JSON.stringify(found.answer)).toContain("note.txt");
	const shown = await hermes.call("terminal", { command: "basename $PWD; echo $WORD" });
	expect(shown).toEqual({
		isError: false,
		answer: expect.objectContaining({ output: "work\nstays", exit_code: 0, ran_on: "local" }),
	});
	const script = await hermes.call("execute_code", {
		code: "from hermes_tools import terminal\nprint(terminal('echo from a script')['output'])",
	});
	expect(script.answer.output).toContain("from a script");
	const missing = await hermes.call("read_file", { path: "nowhere" });
	expect(missing).toEqual({ isError: true, answer: expect.objectContaining({ error: expect.any(String) }) });
	expect(hermes.call("nothing", {})).rejects.toThrow('Unknown tool "nothing": there is execute_code');
	expect(hermes.errors).toEqual([]);
});

test("--toolset serves these and no others; those of conversations and of other servers are not served", async () => {
	using home = temporaryFolder();
	mkdirSync(join(home.path, ".hermes"));
	const servers = { self: { command: "touch", args: [join(home.path, "started")] } };
	writeFileSync(join(home.path, ".hermes/config.yaml"), JSON.stringify({ mcp_servers: servers }));
	await using hermes = await connectToHermes(["--tools", "--toolset", "file,todo"], { home: home.path });
	const { tools } = await hermes.client.listTools();
	expect(tools.map(({ name }) => name)).toEqual(["patch", "read_file", "search_files", "write_file"]);
	expect(hermes.call("terminal", { command: "true" })).rejects.toThrow("Unknown tool");
	for (const name of ["mcp-self", "self"]) {
		const { ended } = startHermes(["mcp", "serve", "--tools", "--toolset", name], { home: home.path });
		expect((await ended).stderr).toContain(`Cannot serve "${name}": it is of another MCP server`);
	}
	expect(existsSync(join(home.path, "started"))).toBe(false);
});

const dangerous = { command: "mkdir -p a/b && rm -rf a" };

test("what needs consent is denied with what the operator can do about it, unless it was allowed", async () => {
	using home = temporaryFolder();
	{
		await using hermes = await connectToHermes(["--tools"], { home: home.path });
		const denied = await hermes.call("terminal", dangerous);
		expect(denied.isError).toBe(true);
		expect(denied.answer.error).toContain("hermes mcp serve --allow delete-recursive");
		expect((await hermes.call("execute_code", { code: "print(1)" })).answer.error).toContain("--allow script");
	}
	const isDone = { isError: false, answer: expect.objectContaining({ exit_code: 0 }) };
	{
		await using hermes = await connectToHermes(["--tools", "--allow", "delete-recursive"], { home: home.path });
		expect(await hermes.call("terminal", dangerous)).toEqual(isDone);
	}
	writeFileSync(join(home.path, ".hermes/config.yaml"), "command_allowlist: [delete-recursive]\n", { mode: 0o600 });
	await using hermes = await connectToHermes(["--tools"], { home: home.path });
	expect(await hermes.call("terminal", dangerous)).toEqual(isDone);
	expect((await hermes.call("terminal", { command: "rm -rf /" })).answer.error).toContain("Blocked");
});

test("the client's user is asked where the client can ask; a yes counts for what was asked, the hard line holds", async () => {
	using home = temporaryFolder();
	const asked: string[] = [];
	let decision = "deny";
	await using hermes = await connectToHermes(["--tools"], {
		home: home.path,
		elicit(message) {
			asked.push(message);
			return decision === "" ? { action: "cancel" } : { action: "accept", content: { decision } };
		},
	});
	expect((await hermes.call("terminal", dangerous)).answer.error).toContain("The user denied this command");
	decision = "";
	expect((await hermes.call("terminal", dangerous)).answer.error).toContain("The user denied this command");
	decision = "once";
	expect((await hermes.call("terminal", dangerous)).answer.exit_code).toBe(0);
	expect(asked).toHaveLength(3);
	expect(asked[0]).toContain("rm -rf a");
	expect(asked[0]).toContain("deletes folders with everything in them");
	decision = "session";
	await hermes.call("terminal", dangerous);
	await hermes.call("terminal", dangerous);
	expect(asked).toHaveLength(4);
	expect((await hermes.call("terminal", { command: "rm -rf /" })).answer.error).toContain("Blocked");
	expect(asked).toHaveLength(4);
});

test("a long call tells what it prints, and ends when it is cancelled; the session goes on", async () => {
	using home = temporaryFolder();
	await using hermes = await connectToHermes(["--tools"], { home: home.path });
	const cancel = new AbortController();
	const news: string[] = [];
	const call = hermes.call(
		"terminal",
		{ command: "echo $BASHPID > pid; echo first line; sleep 600; echo never", timeout: 500 },
		{
			signal: cancel.signal,
			onProgress({ message = "" }) {
				news.push(message);
				if (message.includes("first line")) cancel.abort("enough");
			},
		},
	);
	expect(call).rejects.toThrow("enough");
	await call.catch(() => undefined);
	expect(news.at(-1)).toBe("first line\n");
	// Waits behind the cancelled one: when it is answered, that one has ended.
	const after = await hermes.call("terminal", { command: "kill -0 $(cat pid) 2>&1; echo still here" });
	expect(after.answer.output).toContain("No such process");
	expect(after.answer.output).toContain("still here");
});

test("a client that goes away in the middle of a call leaves no command and no server behind", async () => {
	using home = temporaryFolder();
	const hermes = startHermes(["mcp", "serve", "--tools"], { home: home.path, stdin: "open" });
	const send = (message: object) => hermes.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
	const clientInfo = { name: "test", version: "1" };
	send({ id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo } });
	send({ method: "notifications/initialized" });
	const background = { command: "echo $$ > background; exec sleep 600", background: true };
	send({ id: 2, method: "tools/call", params: { name: "terminal", arguments: background } });
	await hermes.shows('"id":2');
	const command = "echo $BASHPID > foreground; echo in the foreground; sleep 600";
	const params = { name: "terminal", arguments: { command }, _meta: { progressToken: "news" } };
	send({ id: 3, method: "tools/call", params });
	await hermes.shows("in the foreground");
	hermes.write();
	const { exitCode, stdout } = await hermes.ended;
	expect(exitCode).toBe(0);
	for (const line of stdout.trim().split("\n")) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
	expect(existsSync(`/proc/${readFileSync(join(home.path, "foreground"), "utf8").trim()}`)).toBe(false);
	expect(existsSync(`/proc/${readFileSync(join(home.path, "background"), "utf8").trim()}`)).toBe(false);
});

test("a client that goes away while its place is being opened is not waited for", async () => {
	using home = temporaryFolder();
	const { promise: isTried, resolve } = Promise.withResolvers<void>();
	// Takes connections and says nothing; hermes would wait longer than the test does.
	const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {}, open: () => resolve() } });
	const hermes = startHermes(["mcp", "serve", "--tools", "--backend", "ssh"], {
		home: home.path,
		stdin: "open",
		env: {
			TERMINAL_SSH_HOST: "127.0.0.1",
			TERMINAL_SSH_PORT: String(listener.port),
			TERMINAL_SSH_USER: "nobody",
			TERMINAL_SSH_CONNECT_TIMEOUT: "600",
		},
	});
	const send = (message: object) => hermes.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
	const clientInfo = { name: "test", version: "1" };
	send({ id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo } });
	send({ id: 2, method: "tools/call", params: { name: "terminal", arguments: { command: "true" } } });
	await isTried;
	hermes.write();
	expect((await hermes.ended).exitCode).toBe(0);
	listener.stop(true);
});

test("kill -9 of the server ends the command that it ran", async () => {
	using home = temporaryFolder();
	const hermes = await connectToHermes(["--tools"], { home: home.path });
	const { promise: started, resolve } = Promise.withResolvers<void>();
	const call = hermes.call(
		"terminal",
		{ command: "echo $BASHPID > pid; echo started; sleep 600", timeout: 500 },
		{ onProgress: ({ message }) => message?.includes("started") && resolve() },
	);
	await started;
	const pid = readFileSync(join(home.path, "pid"), "utf8").trim();
	expect(existsSync(`/proc/${pid}`)).toBe(true);
	process.kill(hermes.pid, "SIGKILL");
	expect(call).rejects.toThrow("Connection closed");
	await call.catch(() => undefined);
	await gone(pid);
	await hermes[Symbol.asyncDispose]();
});

/** Resolves when there is no such process; nothing else tells that somebody else's process has ended. */
async function gone(pid: string): Promise<void> {
	while (existsSync(`/proc/${pid}`)) await Bun.sleep(20);
}

test("what cannot be read is refused and stops nothing", async () => {
	using home = temporaryFolder();
	const hermes = startHermes(["mcp", "serve", "--tools"], { home: home.path, stdin: "open" });
	hermes.write("no JSON\n");
	hermes.write('{"id": 1}\n');
	hermes.write(`{"jsonrpc":"2.0","id":2,"method":"${"x".repeat(40_000_000)}"}\n`);
	hermes.write('{"jsonrpc":"2.0","id":3,"method":"ping"}\n');
	hermes.write('{"jsonrpc":"2.0","id":4,"method":"tools/list","params":{"cursor":"x"}}\n');
	await hermes.shows('"id":4');
	hermes.write('{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"terminal","arguments":"x"}}\n');
	await hermes.shows('"id":5');
	hermes.write();
	const { stdout, stderr, exitCode } = await hermes.ended;
	expect(
		stdout
			.trim()
			.split("\n")
			.map((line) => JSON.parse(line)),
	).toEqual([
		{ jsonrpc: "2.0", id: null, error: { code: -32700, message: "Cannot read the message: it is not JSON" } },
		{ jsonrpc: "2.0", id: null, error: { code: -32600, message: "Cannot use the message: it is not JSON-RPC 2.0" } },
		{ jsonrpc: "2.0", id: null, error: { code: -32600, message: expect.stringContaining("it is longer than") } },
		{ jsonrpc: "2.0", id: 3, result: {} },
		{ jsonrpc: "2.0", id: 4, error: { code: -32602, message: "Unknown cursor" } },
		{ jsonrpc: "2.0", id: 5, error: { code: -32602, message: expect.stringContaining("arguments") } },
	]);
	expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
});

test("flags that make no sense together, unknown kinds of danger and folders that are not there are refused at once", async () => {
	using home = temporaryFolder();
	const refused = async (...args: string[]) => {
		const { ended } = startHermes(["mcp", "serve", ...args], { home: home.path });
		const { stdout, stderr, exitCode } = await ended;
		return { stdout, stderr, exitCode };
	};
	const [port, allow, folder, server] = await Promise.all([
		refused("--tools", "--port", "1"),
		refused("--tools", "--allow", "everything"),
		refused("--tools", "--cwd", "/nowhere"),
		refused("--backend", "local"),
	]);
	expect(port).toEqual({
		stdout: "",
		stderr: expect.stringContaining("Cannot use --port without --http"),
		exitCode: 2,
	});
	expect(allow.stderr).toContain('Cannot allow "everything": it is no kind of danger; there is delete-absolute');
	expect(folder.stderr).toContain('"/nowhere"');
	expect(folder.exitCode).toBe(1);
	expect(server.stderr).toContain("Cannot use --backend without --tools");
});

test("a client is told when its background process ends, and what it did is in the audit log", async () => {
	using home = temporaryFolder();
	mkdirSync(join(home.path, ".hermes"));
	writeFileSync(join(home.path, ".hermes/config.yaml"), "audit: {enabled: true}\n");
	await using hermes = await connectToHermes(["--tools"], { home: home.path });
	const sent = { command: "echo the build is done", background: true, notify_on_complete: true };
	const { answer } = await hermes.call("terminal", sent);
	await hermes.isTold((text) => text.includes(answer.session_id) && text.includes("the build is done"));
	await hermes.call("terminal", dangerous);
	const log = readFileSync(join(home.path, ".hermes/logs/audit.jsonl"), "utf8").trim().split("\n");
	const lines = log.map((line) => JSON.parse(line));
	expect(lines.map(({ surface, event, command }) => ({ surface, event, command }))).toEqual([
		{ surface: "mcp", event: "started", command: sent.command },
		{ surface: "mcp", event: "ended", command: sent.command },
		{ surface: "mcp", event: "denied", command: dangerous.command },
	]);
});
