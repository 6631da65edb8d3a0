/** The terminal tool in a real shell session. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { exitCodeNote } from "../../lib/tools/terminal/exit-code-note.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { openToolSession, type ToolSession } from "../support/tool-session.ts";

let folder: ReturnType<typeof temporaryFolder>;
let session: ToolSession;
beforeAll(async () => {
	folder = temporaryFolder();
	mkdirSync(join(folder.path, "sub (old) 项目"));
	session = await openToolSession(folder.path);
});
afterAll(async () => {
	await session[Symbol.asyncDispose]();
	folder[Symbol.dispose]();
});

const run = (args: Record<string, unknown>) => session.call("terminal", args);
const done = (output: string, exitCode = 0, more = {}) => ({
	output,
	exit_code: exitCode,
	error: null,
	status: "exited",
	ran_on: "local",
	...more,
});

describe("terminal", () => {
	test("returns output, standard error included, and the exit code", async () => {
		expect(await run({ command: "echo out; echo err >&2; exit 3" })).toEqual(done("out\nerr", 3));
	});

	test("keeps folder and variables, and says when the folder changed", async () => {
		const sub = join(folder.path, "sub (old) 项目");
		expect(await run({ command: "cd sub*; export A=1" })).toEqual(done("", 0, { cwd: sub }));
		expect(await run({ command: 'echo "$A $PWD"; cd ..' })).toEqual(done(`1 ${sub}`, 0, { cwd: folder.path }));
	});

	test("runs in another folder for one call", async () => {
		expect(await run({ command: "pwd", workdir: "sub (old) 项目" })).toEqual(done(join(folder.path, "sub (old) 项目")));
		expect(await run({ command: "pwd" })).toEqual(done(folder.path));
		expect(await run({ command: "pwd", workdir: "/no/such/folder" })).toMatchObject({
			exit_code: 126,
			output: expect.stringContaining("no such folder"),
		});
	});

	test("takes colours out", async () => {
		expect(await run({ command: "printf '\\033[31mred\\033[0m \\033]0;title\\007end'" })).toEqual(done("red end"));
	});

	test("stops a command after its time and keeps what it said", async () => {
		expect(await run({ command: "echo so far; sleep 30", timeout: 1 })).toEqual({
			...done(expect.stringContaining("so far") as unknown as string, 124),
			status: "timed_out",
			error: "The command was stopped after 1 seconds; its output so far is in output",
		});
	});

	test("cuts long output in the middle and says how much", async () => {
		const { output } = await run({ command: "echo start; head -c 200000 /dev/zero | tr '\\0' x; echo; echo end" });
		expect(String(output).length).toBeLessThan(50_200);
		expect(output).toMatch(/^start\nx+\n\n\[\d+ of \d+ characters cut here\]\n\nx+\nend$/);
	});

	test("refuses a time over the limit before asking anybody, and says what to do", async () => {
		const { answer, denied } = await session.dispatch("terminal", { command: "ls", timeout: 601 });
		expect({ error: JSON.parse(answer).error, denied }).toEqual({
			error: expect.stringContaining("in the background"),
			denied: false,
		});
		expect(await run({ command: "true", timeout: 600 })).toEqual(done(""));
	});

	test.each([
		[{ command: 3 }, "command: expected string, got number"],
		[{}, "command: missing"],
		[{ command: "a\0b" }, "NUL"],
		[{ command: "echo \ud800" }, "half of a character"],
		[{ command: "pwd", workdir: "\udc00" }, "half of a character"],
		[{ command: "ls", workdir: "a\nb" }, "line end"],
	])("refuses %j", async (args, reason) => {
		expect((await run(args)).error).toContain(reason);
	});

	test("runs nothing that the hard line forbids", async () => {
		const { answer, denied } = await session.dispatch("terminal", { command: "true && reboot" });
		expect({ answer: JSON.parse(answer), denied }).toEqual({
			answer: {
				error: expect.stringContaining("it stops or restarts the machine"),
				output: "",
				exit_code: -1,
				status: "blocked",
			},
			denied: true,
		});
	});

	test("explains exit codes that are no failures", async () => {
		expect(await run({ command: "grep nothing /etc/hostname" })).toEqual(
			done("", 1, { exit_code_meaning: "No matches were found; this is not an error" }),
		);
	});
});

describe("exitCodeNote()", () => {
	test.each([
		["grep x f", 1, "No matches"],
		['grep "a|b" f', 1, "No matches"],
		["cat f | sudo grep -q x", 1, "No matches"],
		["A=1 /usr/bin/grep x f;", 1, "No matches"],
		["make && diff a b", 1, "differ"],
		["git diff --exit-code", 1, "differences"],
		["git --no-pager grep x", 1, "No matches"],
		["[ -f x ]", 1, "false"],
		["curl -f http://x", 22, "HTTP error"],
		["find / -name x", 1, "could not be read"],
	] as const)("for %j and %d", (command, code, note) => {
		expect(exitCodeNote(command, code)).toContain(note);
	});

	test.each([
		["grep x f", 0],
		["grep x f", 2],
		["git push", 1],
		["grep x f | wc -l", 1],
		["ls nope", 2],
		["(grep x f)", 1],
		["echo 'grep", 1],
	])("gives none for %j and %d", (command, code) => {
		expect(exitCodeNote(command, code)).toBeUndefined();
	});
});

describe("terminal and secrets", () => {
	test("masks what a command prints before it is cut: of a key that straddles the cut nothing is left", async () => {
		const line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us";
		const key = `printf -- '-----BEGIN PRIVATE KEY-----\\n'; for i in {1..60}; do echo ${line}; done; printf -- '-----END PRIVATE KEY-----\\n'`;
		const command = `printf 'x%.0s' {1..19000}; echo; ${key}; printf 'y%.0s' {1..60000}`;
		const { output } = await run({ command });
		expect([String(output).includes(line.slice(0, 20)), String(output).includes("characters cut here")]).toEqual([
			false,
			true,
		]);
	});

	test("masks assignments and known values, and keeps links", async () => {
		expect(await run({ command: "echo API_KEY=abcdef a known value https://h/?token=a" })).toEqual(
			done("API_KEY=*** *** https://h/?token=a"),
		);
	});
});
