/** Commands in the background as a model starts and looks after them. */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { loadPlugins } from "../../lib/base/plugins.ts";
import { type Dispatched, dispatch } from "../../lib/registry/dispatch.ts";
import { createRegistry } from "../../lib/registry/registry.ts";
import type { ToolContext } from "../../lib/registry/tool.ts";
import { createApprover } from "../../lib/security/approval.ts";
import { tools } from "../../lib/tools/all.ts";
import { openProcessScene, type ProcessScene, until } from "../support/process-scene.ts";

setDefaultTimeout(60_000);

let scene: ProcessScene;
let registry: ReturnType<typeof createRegistry>;
beforeAll(async () => {
	scene = await openProcessScene("local");
	const { loaded, failures } = await loadPlugins(tools);
	registry = createRegistry(loaded, failures);
});
afterAll(async () => scene[Symbol.asyncDispose]());

async function dispatched(name: string, args: object, signal = new AbortController().signal): Promise<Dispatched> {
	const { shell, desk } = scene;
	const context: ToolContext = {
		sessionId: "session",
		taskId: "default",
		signal,
		execute: (command, options) => shell.execute(command, { signal, ...options }),
		get cwd() {
			return shell.cwd;
		},
		ranOn: shell.ranOn,
		processes: desk,
	};
	const approve = createApprover({ mode: "yolo" });
	return await dispatch({ registry, call: { name, arguments: { ...args } }, context, approve });
}

async function call(name: string, args: object, signal?: AbortSignal): Promise<Record<string, unknown>> {
	return JSON.parse((await dispatched(name, args, signal)).answer);
}

const start = (command: string, more = {}) => call("terminal", { command, background: true, ...more });
const look = (action: string, id: unknown, more = {}) => call("process", { action, session_id: id, ...more });

describe("terminal(background=true)", () => {
	test("answers with what the process tool needs, and a hint when nobody would be told", async () => {
		const started = await start("echo hi; exit 3");
		expect(started).toEqual({
			output: "Background process started",
			session_id: expect.stringMatching(/^proc_[0-9a-f]{12}$/),
			pid: expect.any(Number),
			exit_code: 0,
			error: null,
			ran_on: "local",
			hint: expect.stringContaining("notify_on_complete"),
		});
		expect(await look("wait", started.session_id)).toEqual({
			session_id: started.session_id,
			status: "exited",
			pid: started.pid,
			uptime_seconds: expect.any(Number),
			exit_code: 3,
			completion_reason: "exited",
			output: "hi",
			total_lines: 1,
		});
	});

	test("drops watch_patterns when the end is told as well, and says so", async () => {
		const started = await start("true", { notify_on_complete: true, watch_patterns: ["x"] });
		expect(started).toMatchObject({ notify_on_complete: true, watch_patterns_ignored: expect.any(String) });
		expect(started).not.toHaveProperty("hint");
		await look("wait", started.session_id);
	});

	test("is an error when it cannot start", async () => {
		expect(await start("true", { workdir: "/no/such" })).toEqual({
			error: 'Cannot start the command: there is no folder "/no/such"',
			output: "",
			exit_code: -1,
			status: "failed_start",
		});
	});

	test("warns of loops that wait for checks by hand", async () => {
		const started = await start("false && gh pr checks 1 --json state | jq .");
		expect(started.hint).toContain("gh pr checks --watch");
		await look("wait", started.session_id);
	});

	test("server, request, kill: three calls (R061)", async () => {
		const port = 20_000 + Math.floor(Math.random() * 20_000);
		const serve = `exec bun -e 'Bun.serve({ port: ${port}, fetch: () => new Response("served") }); console.log("listening")'`;
		const started = await start(serve, { watch_patterns: ["listening"] });
		await until(() => scene.table.hasNotice("default"));
		expect(scene.table.takeNotices("default")).toMatchObject([{ type: "watch_match", pattern: "listening" }]);
		expect(await call("terminal", { command: `curl -s http://127.0.0.1:${port}/` })).toMatchObject({
			output: "served",
		});
		expect(await look("kill", started.session_id)).toMatchObject({
			status: "killed",
			termination_source: "process.kill",
		});
	});

	test("lives on when a later command times out (R040)", async () => {
		const started = await start("sleep 300");
		expect(await call("terminal", { command: "sleep 10", timeout: 1 })).toMatchObject({ status: "timed_out" });
		expect(await look("poll", started.session_id)).toMatchObject({ status: "running" });
		await look("kill", started.session_id);
	});
});

describe("process", () => {
	test("poll shows what is new, log any part by its lines, list all", async () => {
		const { session_id: id } = await start("seq 1 300; read line; echo last");
		await until(() => scene.desk.get(String(id))?.output.total === 300);
		expect(await look("poll", id)).toMatchObject({ status: "running", total_lines: 300, omitted_characters: 91 });
		expect(await look("poll", id)).toMatchObject({ output_preview: "" });
		expect(await look("log", id, { offset: 1, limit: 2 })).toMatchObject({
			output: "1\n2",
			showing: "2 lines",
			first_line: 1,
			next_offset: 3,
			total_lines: 300,
		});
		expect(await look("log", id)).toMatchObject({ showing: "200 lines", first_line: 101 });
		expect((await call("process", { action: "list" })).processes).toContainEqual(
			expect.objectContaining({ session_id: id, status: "running", command: "seq 1 300; read line; echo last" }),
		);
		expect(await look("submit", id, { data: "x" })).toMatchObject({ status: "ok", bytes_written: 2 });
		expect(await look("wait", id)).toMatchObject({ status: "exited", output: "last" });
	});

	test("close lets a process end that reads to the end of its input", async () => {
		const { session_id: id } = await start("cat; echo over");
		expect(await look("write", id, { data: "typed" })).toMatchObject({ status: "ok" });
		expect(await look("close", id)).toEqual({ session_id: id, status: "ok" });
		expect(await look("wait", id)).toMatchObject({ output: "typedover", exit_code: 0 });
		expect(await look("write", id, { data: "x" })).toMatchObject({ error: "The process has ended" });
	});

	test("wait ends with its time, and with an interrupt; the process goes on", async () => {
		const { session_id: id } = await start("echo up; sleep 300");
		expect(await look("wait", id, { timeout: 1 })).toMatchObject({ status: "timeout", output: "up" });
		const interrupt = new AbortController();
		const waiting = call("process", { action: "wait", session_id: id }, interrupt.signal);
		setTimeout(() => interrupt.abort(), 100);
		expect(await waiting).toMatchObject({ status: "interrupted", note: expect.stringContaining("goes on") });
		expect(await look("kill", id)).toMatchObject({ status: "killed" });
		expect(await look("kill", id)).toMatchObject({ status: "already_exited" });
	});

	test("says which process it does not know, and what is missing", async () => {
		expect(await look("poll", "proc_0")).toEqual({
			error: "No process with ID proc_0; process(action=list) shows all",
			status: "not_found",
		});
		expect(await call("process", { action: "kill" })).toMatchObject({ error: "Cannot kill: session_id is missing" });
	});

	test("never shows a secret, also one that is cut, in any of its answers", async () => {
		const key = `ghp_${"a1B2".repeat(9)}`;
		const body = Array.from(
			{ length: 20 },
			(_, at) => `MIIEvQIBADANBgkqhkiG9w0BAQEFAASC${at}abcdefghijklmnopqrstuvwx`,
		).join("\n");
		const pem = `-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----`;
		const { session_id: id } = await start(`printf '%s\\n' 'key ${key}' '${pem}' done; sleep 300`);
		await until(() => (scene.desk.get(String(id))?.output.total ?? 0) >= 24);
		const answers = [
			await look("log", id),
			await look("log", id, { offset: 5, limit: 4 }),
			await look("poll", id),
			await look("wait", id, { timeout: 1 }),
			await call("process", { action: "list" }),
			await look("kill", id),
		];
		const text = JSON.stringify(answers);
		expect(text).not.toContain(key);
		expect(text).not.toContain("MIIEvQIBADANBg");
		expect(text).toContain("done");
	});
});

describe("a command in the foreground", () => {
	test("goes to the background when its time is up, with what it printed, and its end is told (R046, R062)", async () => {
		const moved = await call("terminal", {
			command: "echo so far; sleep 2; echo end",
			timeout: 1,
			on_timeout: "background",
		});
		expect(moved).toMatchObject({ output: "so far", exit_code: null, status: "running", notify_on_complete: true });
		await scene.desk.get(String(moved.session_id))?.ended;
		expect(scene.table.takeNotices("default")).toMatchObject([{ type: "completion", output: "so far\nend" }]);
	});

	test("keeps folder and variables when it ends in time, whatever would have happened", async () => {
		const before = scene.shell.cwd;
		const ran = await call("terminal", { command: "cd /usr; export KEPT=yes; exit 4", on_timeout: "background" });
		expect(ran).toEqual({
			output: "",
			exit_code: 4,
			error: null,
			status: "exited",
			ran_on: "local",
			cwd: "/usr",
		});
		expect(await call("terminal", { command: 'echo "$KEPT $PWD"' })).toMatchObject({ output: "yes /usr" });
		await call("terminal", { command: `cd '${before}'` });
	});

	test("can have a terminal; its line ends are plain", async () => {
		expect(await call("terminal", { command: "tty >/dev/null && echo is one; stty size", pty: true })).toMatchObject({
			output: "is one\n30 120",
			exit_code: 0,
		});
		expect(await call("terminal", { command: "sleep 30", pty: true, timeout: 1 })).toMatchObject({
			status: "timed_out",
			exit_code: 124,
		});
	});

	test.each([
		"npm run dev",
		"cd web && yarn start",
		"uvicorn app:app --port 80",
		"python3 -m http.server 8000",
		"docker compose up",
		"FOO=1 npx vite",
		"sh -c 'next dev'",
	])("%s is refused: it would run until its time is up", async (command) => {
		expect(await call("terminal", { command })).toMatchObject({
			status: "blocked",
			error: expect.stringContaining("background=true"),
		});
	});

	test.each([
		"false && echo npm run dev",
		"echo uvicorn",
		"vite --version || true",
		"true || vite build",
		"true || docker compose up -d",
		"true || timeout 1 npm start",
		"git --version --grep uvicorn || true",
		"true & true & wait",
		"cat <<E\nnpm run dev\nmake && ./srv &\nE",
		"nohup true >/dev/null",
		"pip --version install uvicorn || true",
	])("%s is not refused", async (command) => {
		expect(await call("terminal", { command })).not.toHaveProperty("status", "blocked");
	});

	test("here-documents land on disk as they were written", async () => {
		const text = "make && ./srv &\nsudo ls\nnohup x &\n";
		const path = join(scene.home, "written");
		for (const more of [{}, { on_timeout: "background" }]) {
			await call("terminal", { command: `cat > ${path} <<EOF\n${text}EOF`, ...more });
			expect(readFileSync(path, "utf8")).toBe(text);
		}
	});

	test("a list that ends in the background does not hold the call (A && B &)", async () => {
		const started = performance.now();
		expect(await call("terminal", { command: "true && sleep 50 &" })).toMatchObject({ exit_code: 0 });
		expect(performance.now() - started).toBeLessThan(45_000);
	});
});
