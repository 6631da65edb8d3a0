/** hermes exec: the user's own command. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hermesProgram, runHermes, startHermes } from "../support/run-hermes.ts";
import { runProgram } from "../support/run-program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Each test starts processes, and other tests may keep the machine busy.
setDefaultTimeout(60_000);

/** A zombie whose new parent has not looked yet counts as gone. */
function isRunning(pid: number): boolean {
	const path = `/proc/${pid}/stat`;
	if (existsSync("/proc/self")) return existsSync(path) && !/\) [ZX] /.test(readFileSync(path, "utf8"));
	const state = Bun.spawnSync(["ps", "-o", "stat=", "-p", String(pid)])
		.stdout.toString()
		.trim();
	return state !== "" && !state.startsWith("Z");
}

/** Words that run what follows with every bash hidden behind an empty file. */
const hideBash = [
	"unshare",
	"-rm",
	"sh",
	"-c",
	'for bash in /bin/bash /usr/bin/bash /usr/local/bin/bash; do [ ! -e $bash ] || mount --bind /dev/null $bash || exit 125; done; exec "$@"',
	"sh",
];

/** Whether this machine lets us hide bash; only Linux with user namespaces does. */
function canHideBash(): boolean {
	if (Bun.which("unshare") === null) return false;
	const hidden = Bun.spawnSync([...hideBash, "sh", "-c", "! bash -c true"], { stdout: "ignore", stderr: "ignore" });
	if (hidden.exitCode !== 0) process.stderr.write("skipped: bash cannot be hidden here (no user namespaces)\n");
	return hidden.exitCode === 0;
}

async function exec(...args: string[]) {
	using home = temporaryFolder();
	return await runHermes(["exec", ...args], { home: home.path });
}

describe.concurrent("hermes exec", () => {
	test.each([
		{ args: ["echo out; echo err >&2; exit 3"], ran: { stdout: "out\nerr\n", stderr: "", exitCode: 3 } },
		{
			args: ["--", "printf", "[%s]", "a b", "$HOME", "it's", ""],
			ran: { stdout: "[a b][$HOME][it's][]", stderr: "", exitCode: 0 },
		},
		{ args: ["printf", "%s", "-m"], ran: { stdout: "-m", stderr: "", exitCode: 0 } },
		{ args: ["--", "no-such-program-x", "1"], exitCode: 127 },
		{ args: ["kill -TERM $$"], exitCode: 143 },
		{
			args: ["--timeout", "0.3", "echo begun; sleep 60"],
			ran: { stdout: "begun\n", stderr: "hermes: stopped after 0.3 s\n", exitCode: 124 },
		},
	])("hermes exec $args gives the command's output and code", async ({ args, ran, exitCode }) => {
		const got = await exec(...args);
		if (ran !== undefined) expect(got).toEqual(ran);
		else expect(got.exitCode).toBe(exitCode ?? 0);
	});

	test("hermes exec --cwd starts there, also in a relative folder with spaces", async () => {
		using home = temporaryFolder();
		mkdirSync(join(home.path, "a b"));
		const ran = await runHermes(["exec", "--cwd", "a b", "pwd"], { home: home.path });
		expect(ran).toEqual({ stdout: `${join(home.path, "a b")}\n`, stderr: "", exitCode: 0 });
	});

	test("hermes exec --cwd to a folder that does not exist is one line and exit 1", async () => {
		using home = temporaryFolder();
		const ran = await runHermes(["exec", "--cwd", "nowhere", "touch ran"], { home: home.path });
		const folder = join(home.path, "nowhere");
		expect(ran).toEqual({
			stdout: "",
			stderr: `hermes: Cannot start in "${folder}": there is no such folder\n`,
			exitCode: 1,
		});
	});

	test.skipIf(!canHideBash())("hermes exec without bash says what is missing", async () => {
		using home = temporaryFolder();
		const env = { PATH: process.env.PATH ?? "", HOME: home.path, HERMES_HOME: join(home.path, ".hermes") };
		expect(await runProgram([...hideBash, ...hermesProgram(), "exec", "true"], { cwd: home.path, env })).toEqual({
			stdout: "",
			stderr:
				"hermes: Cannot open a shell on local: there is no bash; install it there (apt-get install bash, apk add bash)\n",
			exitCode: 1,
		});
	});

	test("hermes exec does not read standard input and does not wait for it", async () => {
		using home = temporaryFolder();
		const ran = await runHermes(["exec", "cat; echo end"], { home: home.path, stdin: "open" });
		expect(ran).toEqual({ stdout: "end\n", stderr: "", exitCode: 0 });
	});

	test("hermes exec shows output while the command runs, and Ctrl-C ends it with 130", async () => {
		using home = temporaryFolder();
		const running = startHermes(["exec", "echo begun; sleep 60"], { home: home.path });
		await running.shows("begun");
		running.kill("SIGINT");
		expect(await running.ended).toEqual({ stdout: "begun\n", stderr: "", exitCode: 130 });
	});

	test("hermes exec ends its command on SIGTERM", async () => {
		using home = temporaryFolder();
		const running = startHermes(["exec", "echo $$; exec sleep 60"], { home: home.path });
		await running.shows("\n");
		running.kill("SIGTERM");
		const { stdout, exitCode } = await running.ended;
		expect(exitCode).toBe(143);
		expect(isRunning(Number(stdout))).toBeFalse();
	});

	test("hermes exec loses nothing of its output to a slow reader, and ends quietly when the reader leaves", async () => {
		using home = temporaryFolder();
		const shell = (script: string) =>
			runProgram(["bash", "-c", `${script}; echo "codes \${PIPESTATUS[*]}"`, ...hermesProgram()], {
				cwd: home.path,
				env: { PATH: process.env.PATH ?? "", HOME: home.path },
			});
		const hermes = '"$0" "$@"';
		const [slow, gone] = await Promise.all([
			shell(`${hermes} exec 'seq 1 500000' | (sleep 0.5; wc -c)`),
			shell(`${hermes} exec 'yes; echo never' | head -n 1`),
		]);
		expect(slow).toEqual({ stdout: "3388895\ncodes 0 0\n", stderr: "", exitCode: 0 });
		expect(gone).toEqual({ stdout: "y\ncodes 141 0\n", stderr: "", exitCode: 0 });
	});

	test("hermes exec shows a command none of the keys of model providers", async () => {
		using home = temporaryFolder();
		const env = { OPENAI_API_KEY: "sk-secret", KEPT: "yes" };
		const ran = await runHermes(["exec", 'echo "[$OPENAI_API_KEY] [$KEPT]"'], { home: home.path, env });
		expect(ran.stdout).toBe("[] [yes]\n");
	});
});
