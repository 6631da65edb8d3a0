/** hermes mcp serve with clients that do not do their part: they read nothing, or the server is killed under them. */

import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { closeSync, constants, existsSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { connectToHermes } from "../support/mcp-client.ts";
import { hermesProgram } from "../support/run-hermes.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Each test starts processes, and other tests may keep the machine busy.
setDefaultTimeout(60_000);

const opened: number[] = [];
afterEach(() => {
	for (const fd of opened.splice(0)) closeSync(fd);
});

/** A pipe that stays open and that nobody reads. */
function unreadPipe(folder: string): number {
	const path = join(folder, "pipe");
	expect(Bun.spawnSync(["mkfifo", path]).exitCode).toBe(0);
	const fd = openSync(path, constants.O_RDWR);
	opened.push(fd);
	return fd;
}

test.each([
	{ end: "SIGTERM", exitCode: 143 },
	{ end: "the end of its input", exitCode: 0 },
] as const)("a client that reads nothing holds up neither its calls nor the end ($end)", async ({ end, exitCode }) => {
	using home = temporaryFolder();
	const server = Bun.spawn([...hermesProgram(), "mcp", "serve", "--tools"], {
		cwd: home.path,
		env: { PATH: process.env.PATH ?? "", HOME: home.path, HERMES_HOME: join(home.path, ".hermes") },
		stdin: "pipe",
		stdout: unreadPipe(home.path),
		stderr: "inherit",
	});
	const send = (message: object) => void server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
	const clientInfo = { name: "test", version: "1" };
	send({ id: 0, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo } });
	// Much more than a pipe holds.
	for (let id = 1; id <= 100; id++) send({ id, method: "tools/list" });
	send({ id: 101, method: "tools/call", params: { name: "terminal", arguments: { command: "touch done" } } });
	await server.stdin.flush();
	while (!existsSync(join(home.path, "done"))) await Bun.sleep(20);
	if (end === "SIGTERM") server.kill("SIGTERM");
	else await server.stdin.end();
	expect(await server.exited).toBe(exitCode);
});

test("what clients of a killed server have left in the background ends with the next server", async () => {
	using home = temporaryFolder();
	const command = "echo $$ > pid; exec sleep 600";
	const killed = await connectToHermes(["--tools"], { home: home.path });
	expect((await killed.call("terminal", { command, background: true })).isError).toBe(false);
	process.kill(killed.pid, "SIGKILL");
	await killed[Symbol.asyncDispose]();
	const pid = readFileSync(join(home.path, "pid"), "utf8").trim();
	expect(existsSync(`/proc/${pid}`)).toBe(true);

	await using next = await connectToHermes(["--tools"], { home: home.path });
	await next.call("terminal", { command: "true" });
	expect(existsSync(`/proc/${pid}`)).toBe(false);
});
