/** What users cannot do on a machine with a policy, and what is written down about what they do. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openToolSession } from "../../lib/cli/runtime/open-tool-session.ts";
import { breakableBackend } from "../support/breakable-backend.ts";
import { machineWithPolicy } from "../support/policy-file.ts";
import { hermesProgram } from "../support/run-hermes.ts";
import { runProgram } from "../support/run-program.ts";
import { composeScene, runInScene } from "../support/scene.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Each test opens shells, and other tests may keep the machine busy.
setDefaultTimeout(60_000);

/** Words that run what follows with an /etc that holds nothing but this policy. */
const withPolicy = (text: string) => [
	...["unshare", "-rm", "sh", "-c"],
	`mount -t tmpfs etc /etc && mkdir /etc/hermes && printf '${text}' >/etc/hermes/policy.yaml && exec "$@"`,
	"sh",
];

function canHaveOwnEtc(): boolean {
	if (Bun.which("unshare") === null) return false;
	const tried = Bun.spawnSync([...withPolicy("pin: true\\n"), "true"], { stdout: "ignore", stderr: "ignore" });
	if (tried.exitCode !== 0) process.stderr.write("skipped: /etc cannot be replaced here (no user namespaces)\n");
	return tried.exitCode === 0;
}

/** Calls of every tool, each of which would leave or tell something if it ran on this machine. */
const callsOfAllKinds = (folder: string) => [
	{ name: "terminal", arguments: { command: `touch ${folder}/ran` } },
	{ name: "read_file", arguments: { path: `${folder}/there` } },
	{ name: "search_files", arguments: { pattern: "content", path: folder } },
	{ name: "write_file", arguments: { path: `${folder}/ran`, content: "x" } },
	{ name: "patch", arguments: { path: `${folder}/there`, old_string: "content", new_string: "changed" } },
];

describe("a machine that allows one backend", () => {
	test("refuses another one, whoever chose it, and says which file says so", async () => {
		using machine = machineWithPolicy("allowed_backends: [box]\n");
		const refusal = `hermes: Cannot use backend "local": the policy "${machine.path}" allows only box\n`;
		const backends = [breakableBackend("box").backend];
		const marker = join(machine.home, "ran");
		const chosen = [
			runInScene(["exec", "--backend", "local", `touch ${marker}`], { ...machine, backends }),
			runInScene(["exec", `touch ${marker}`], { ...machine, backends, variables: { TERMINAL_ENV: "local" } }),
			runInScene(["tools", "call", "--backend", "local", "read_file", '{"path":"/etc/passwd"}'], {
				...machine,
				backends,
			}),
			runInScene(["demo", "--backend", "local"], { ...machine, backends }),
			runInScene(["selfcheck", "local"], { ...machine, backends }),
		];
		for (const ran of await Promise.all(chosen)) expect(ran).toEqual({ stdout: "", stderr: refusal, exitCode: 1 });
		expect(existsSync(marker)).toBeFalse();
	});

	test("runs nothing at all when that backend is gone before the session", async () => {
		using machine = machineWithPolicy("allowed_backends: [box]\n");
		const box = breakableBackend("box");
		box.breakdown = "the cable is cut";
		const ran = await runInScene(["exec", "pwd"], { ...machine, backends: [box.backend] });
		expect(ran).toEqual({
			stdout: "",
			stderr: `hermes: Cannot use backend "box" (policy ${machine.path}): it is broken: the cable is cut; nothing runs elsewhere instead, see hermes doctor\n`,
			exitCode: 1,
		});
		expect(box.events).toEqual([]);
	});

	test("runs nothing at all when that backend breaks during the session: every tool refuses", async () => {
		using machine = machineWithPolicy("allowed_backends: [box]\n");
		writeFileSync(join(machine.home, "there"), "content");
		const box = breakableBackend("box", { isOneHost: true });
		const { cli } = composeScene({ ...machine, backends: [box.backend] });
		await using session = await openToolSession(cli, { yolo: true });
		const before = await session.call({ name: "terminal", arguments: { command: "echo up" } });
		expect(JSON.parse(before.answer)).toMatchObject({ output: "up", ran_on: "box" });
		box.breakdown = "the cable is cut";
		for (const call of callsOfAllKinds(machine.home)) {
			const { answer } = await session.call(call);
			expect(JSON.parse(answer)).toMatchObject({
				error: expect.stringContaining("Cannot reach box: the cable is cut"),
				error_type: "backend_unavailable",
			});
		}
		expect(existsSync(join(machine.home, "ran"))).toBeFalse();
		expect(readFileSync(join(machine.home, "there"), "utf8")).toBe("content");
	});
});

describe("a backend that was named on the command line", () => {
	test("is the only one that is used, and what is missing is said before a model is asked", async () => {
		using home = temporaryFolder();
		const box = breakableBackend("box");
		box.breakdown = "the cable is cut";
		const env = { home: home.path, backends: [box.backend], variables: { OPENAI_BASE_URL: "http://127.0.0.1:1/v1" } };
		const ran = await runInScene(["-z", "hi", "-m", "m", "--backend", "box"], env);
		expect(ran).toEqual({
			stdout: "",
			stderr:
				'hermes: Cannot use backend "box" (--backend): it is broken: the cable is cut; nothing runs elsewhere instead, see hermes doctor\n',
			exitCode: 1,
		});
	});
});

describe("a machine where calls need consent", () => {
	test.each([
		{ how: "--yolo", args: ["--yolo"], variables: {} },
		{ how: "HERMES_YOLO_MODE", args: [], variables: { HERMES_YOLO_MODE: "1" } },
	])("lets $how have no effect and says so", async ({ how, args, variables }) => {
		using machine = machineWithPolicy("approvals_mode: manual\n");
		const marker = join(machine.home, "ran");
		const call = ["tools", "call", ...args, "terminal", JSON.stringify({ command: `sh -c 'touch ${marker}'` })];
		const { stderr, exitCode } = await runInScene(call, { ...machine, variables });
		expect({ stderr, exitCode }).toEqual({
			stderr: `hermes: ${how} has no effect: the policy "${machine.path}" sets approvals_mode: manual\n`,
			exitCode: 3,
		});
		expect(existsSync(marker)).toBeFalse();
	});

	test.each([
		["manual", false],
		["off", true],
	])("with approvals_mode %s lets a tape of the user run calls in the demonstration: %p", async (mode, runs) => {
		using machine = machineWithPolicy(`approvals_mode: ${mode}\n`);
		const marker = join(machine.home, "ran");
		const call = { id: "1", name: "terminal", arguments: { command: `sh -c 'touch ${marker}'` } };
		const tape = join(machine.home, "tape.jsonl");
		writeFileSync(tape, `${JSON.stringify({ tool_calls: [call] })}\n${JSON.stringify({ text: "done" })}\n`);
		await runInScene(["demo", "--cassette", tape], machine);
		expect(existsSync(marker)).toBe(runs);
	});

	test("is left alone by --yolo when its policy does not mind", async () => {
		using machine = machineWithPolicy("approvals_mode: off\n");
		const ran = await runInScene(["tools", "call", "--yolo", "terminal", '{"command":"echo hi"}'], machine);
		expect({ stderr: ran.stderr, exitCode: ran.exitCode }).toEqual({ stderr: "", exitCode: 0 });
	});
});

describe("a broken policy", () => {
	test.each(["exec true", "-z hi", "tools call read_file {}", "demo", "selfcheck", "config show"])(
		"stops hermes %s",
		async (line) => {
			using machine = machineWithPolicy("pinned: true\n");
			const { stdout, stderr, exitCode } = await runInScene(line.split(" "), machine);
			expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 1 });
			expect(stderr).toBe(
				`hermes: Cannot use the policy "${machine.path}:1:1": unknown key pinned; nothing runs until the administrator of this machine has mended it\n`,
			);
		},
	);

	test("is what hermes config check reports, which shows one that holds", async () => {
		using broken = machineWithPolicy("pinned: true\n");
		expect((await runInScene(["config", "check"], broken)).stdout).toStartWith("error: Cannot use the policy");
		using machine = machineWithPolicy("pin: true\n", "terminal: {pin: false}\n");
		expect(await runInScene(["config", "check"], machine)).toMatchObject({
			stdout: `policy: ${machine.path}: pin: true\nwarning: terminal.pin is true: the policy "${machine.path}" says so, whatever config.yaml says\nThe configuration can be used.\n`,
			exitCode: 0,
		});
	});
});

describe.skipIf(!canHaveOwnEtc())("/etc/hermes/policy.yaml", () => {
	test("is read by the real program, and no variable leads elsewhere", async () => {
		using home = temporaryFolder();
		const env = {
			...{ PATH: process.env.PATH ?? "", HOME: home.path, HERMES_HOME: join(home.path, ".hermes") },
			...{ HERMES_POLICY: "/dev/null", TERMINAL_ENV: "local" },
		};
		const words = [...withPolicy("allowed_backends: [ssh]\\n"), ...hermesProgram(), "exec", `touch ${home.path}/ran`];
		expect(await runProgram(words, { cwd: home.path, env })).toEqual({
			stdout: "",
			stderr: 'hermes: Cannot use backend "local": the policy "/etc/hermes/policy.yaml" allows only ssh\n',
			exitCode: 1,
		});
		expect(existsSync(join(home.path, "ran"))).toBeFalse();
	});
});

describe("the audit log", () => {
	const linesOf = (home: string): Record<string, unknown>[] =>
		readFileSync(join(home, ".hermes/logs/audit.jsonl"), "utf8")
			.trimEnd()
			.split("\n")
			.map((line) => JSON.parse(line));
	/** Without what differs from run to run. */
	const plain = ({ time, call, session, duration_ms, ...rest }: Record<string, unknown>) => rest;

	test("has what the user runs, before and after, and no secret of it", async () => {
		using machine = machineWithPolicy("audit: true\n");
		const command = "API_KEY=planted-key-0123456789 true; exit 3";
		const ran = await runInScene(["exec", command], { ...machine, variables: { USER: "somebody else" } });
		expect(ran).toEqual({ stdout: "", stderr: "", exitCode: 3 });
		const [started, ended, ...more] = linesOf(machine.home);
		const facts = {
			...{
				user: Bun.spawnSync(["id", "-un"]).stdout.toString().trim(),
				surface: "exec",
				backend: "local",
				ran_on: "local",
				tool: "exec",
			},
			...{ command: "API_KEY=plante...6789 true; exit 3", verdict: "allowed", reason: "the user's own command" },
		};
		expect([started, ended, more].map((line) => (Array.isArray(line) ? line : plain(line ?? {})))).toEqual([
			{ ...facts, event: "started" },
			{ ...facts, event: "ended", exit_code: 3, is_error: false },
			[],
		]);
		expect(ended).toMatchObject({ call: started?.call, session: started?.session, duration_ms: expect.any(Number) });
		expect(Date.parse(String(started?.time))).toBeGreaterThan(Date.now() - 60_000);
		expect(statSync(join(machine.home, ".hermes/logs/audit.jsonl")).mode & 0o777).toBe(0o600);
	});

	test("has what tools do, with whose consent, and what was denied", async () => {
		using machine = machineWithPolicy("", "audit: {enabled: true}\n");
		const { cli } = composeScene(machine);
		const kinds = callsOfAllKinds(machine.home);
		{
			await using session = await openToolSession(cli, { yolo: true });
			for (const call of kinds.slice(0, 2)) await session.call(call);
			await session.call({ name: "no_such_tool", arguments: {} });
		}
		{
			await using session = await openToolSession(cli, { yolo: false });
			await session.call({ name: "write_file", arguments: { path: `${machine.home}/.bashrc`, content: "x" } });
		}
		const seen = linesOf(machine.home).map(({ event, tool, command, path, verdict, exit_code, is_error, reason }) => [
			...[event, tool, command ?? path, verdict, exit_code, is_error],
			String(reason).slice(0, 25),
		]);
		const everything = "the user allowed everythi";
		expect(seen).toEqual([
			["started", "terminal", `touch ${machine.home}/ran`, "allowed", undefined, undefined, everything],
			["ended", "terminal", `touch ${machine.home}/ran`, "allowed", 0, false, everything],
			["started", "read_file", `${machine.home}/there`, "allowed", undefined, undefined, "needs no consent"],
			["ended", "read_file", `${machine.home}/there`, "allowed", undefined, true, "needs no consent"],
			[
				"denied",
				"write_file",
				`${machine.home}/.bashrc`,
				"denied",
				undefined,
				undefined,
				`Denied writing "${machine.home}`.slice(0, 25),
			],
		]);
	});

	test("that the policy wants stops what it cannot take", async () => {
		using machine = machineWithPolicy("audit: true\n");
		writeFileSync(join(machine.home, ".hermes/logs"), "in the way");
		const marker = join(machine.home, "ran");
		const exec = await runInScene(["exec", `touch ${marker}`], machine);
		expect(exec).toMatchObject({ stdout: "", exitCode: 1 });
		expect(exec.stderr).toMatch(
			/^hermes: Cannot write the audit log ".*": .*; the policy of this machine lets nothing run without it\n$/,
		);
		const call = JSON.stringify({ command: `touch ${marker}` });
		const tool = await runInScene(["tools", "call", "--yolo", "terminal", call], machine);
		expect(tool.exitCode).toBe(1);
		expect(JSON.parse(tool.stdout).error).toContain("Cannot write the audit log");
		expect(existsSync(marker)).toBeFalse();
	});

	test("that the policy wants withholds an answer that it cannot take", async () => {
		using machine = machineWithPolicy("audit: true\n");
		const logs = join(machine.home, ".hermes/logs");
		const call = { command: `rm -r ${logs}; echo x >${logs}; echo secret` };
		const tool = await runInScene(["tools", "call", "--yolo", "terminal", JSON.stringify(call)], machine);
		expect(tool.exitCode).toBe(1);
		expect(JSON.parse(tool.stdout).error).toStartWith("The call ran, but: Cannot write the audit log");
		expect(tool.stdout).not.toContain("secret");
	});

	test("that only the user wants is one warning when it cannot be written", async () => {
		using machine = machineWithPolicy("", "audit: {enabled: true}\n");
		mkdirSync(join(machine.home, ".hermes/logs/audit.jsonl"), { recursive: true });
		const ran = await runInScene(["exec", "echo hi"], machine);
		expect({ stdout: ran.stdout, exitCode: ran.exitCode }).toEqual({ stdout: "hi\n", exitCode: 0 });
		expect(ran.stderr).toMatch(/^hermes: Cannot write the audit log ".*": .*\n$/);
		rmSync(join(machine.home, ".hermes/logs/audit.jsonl"), { recursive: true });
	});
});
