/** The line for the login shell, given to every shell that this machine has. */

import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { inStream, type Launch, launchScript, loginLine } from "../../../lib/environments/ssh/remote/launcher.ts";
import { runProgram } from "../../support/run-program.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const launch: Launch = {
	mark: "MARK",
	run: "run-1",
	call: "7x",
	environment: undefined,
	cwd: "/usr",
	program: "true",
	streams: "apart",
	hasInput: false,
	reportsEnd: false,
};

const awkward = `a  b'c"d\\e!f$HOME\`g\n*é%s\\041 -n`;

/** The mark begins with a character of its own, and a number differs each time. */
function shown(text: string): string {
	return text.replaceAll(inStream(launch.mark), "MARK").replace(/started \d+/, "started N");
}

async function run(shell: string, more: Partial<Launch>, argv: readonly string[]) {
	const line = loginLine(shell, launchScript({ ...launch, ...more }), argv);
	const { stdout, stderr, exitCode } = await runProgram([shell, "-c", line], {
		cwd: "/",
		env: { PATH: "/usr/bin:/bin", HOME: "/nonexistent", OLD: "1" },
	});
	return { stdout: shown(stdout), stderr: shown(stderr), exitCode };
}

const shells = ["sh", "bash", "dash", "zsh", "ksh", "mksh", "fish", "tcsh", "csh", "busybox"].map((name) =>
	Bun.which(name, { PATH: "/usr/bin:/bin" }),
);
for (const shell of shells.filter((path) => path !== null && !path.endsWith("busybox"))) {
	describe(shell ?? "", () => {
		test("loginLine() hands words over as they are", async () => {
			expect(await run(shell ?? "", {}, ["printf", "%s.", awkward, ""])).toEqual({
				stdout: `MARK\n${awkward}..`,
				stderr: "MARK started N\n",
				exitCode: 0,
			});
		});

		test("loginLine() gives the program's exit code, folder and marks", async () => {
			const script = 'pwd; echo "$HERMES_RUN $HERMES_CALL"; echo error >&2; exit 5';
			expect(await run(shell ?? "", {}, ["sh", "-c", script])).toEqual({
				stdout: "MARK\n/usr\nrun-1 7x\n",
				stderr: "MARK started N\nerror\n",
				exitCode: 5,
			});
		});
	});
}

const sh = "/bin/sh";

test("launchScript() goes on with a script as if a new shell ran it", async () => {
	const script = 'echo "$0 $# $1"\ncat; echo error >&2; exit 6';
	expect(await run(sh, { streams: "merged", script }, ["it's"])).toEqual({
		stdout: "MARK\nsh 1 it's\nerror\n",
		stderr: "MARK started N\n",
		exitCode: 6,
	});
	expect((await run("/usr/bin/fish", { script }, ["a"]).catch(() => undefined))?.stdout).toBe(
		Bun.which("fish") === null ? undefined : "MARK\nsh 1 a\n",
	);
});

test("launchScript() merges errors into the output in their order", async () => {
	const { stdout, stderr } = await run(sh, { streams: "merged" }, ["sh", "-c", "echo a; echo b >&2; echo c"]);
	expect({ stdout, stderr }).toEqual({ stdout: "MARK\na\nb\nc\n", stderr: "MARK started N\n" });
});

test("launchScript() tells the end on both streams where it is asked to, whatever signal the group gets", async () => {
	expect(await run(sh, { reportsEnd: true }, ["sh", "-c", "printf abc; exit 9"])).toEqual({
		stdout: "MARK\nabcMARK\n",
		stderr: "MARK started N\nMARK ended 9\n",
		exitCode: 9,
	});
	const line = loginLine(sh, launchScript({ ...launch, reportsEnd: true }), ["sh", "-c", "kill 0; sleep 9"]);
	const { stderr } = await runProgram(["setsid", "-w", sh, "-c", line], { cwd: "/", env: { PATH: "/usr/bin:/bin" } });
	const ours = shown(stderr)
		.split("\n")
		.filter((text) => text.startsWith("MARK"));
	expect(ours).toEqual(["MARK started N", "MARK ended 143"]);
});

test("launchScript() says 127 for a program or folder that is not there", async () => {
	expect((await run(sh, { streams: "merged" }, ["no-such-program"])).exitCode).toBe(127);
	expect(await run(sh, { cwd: "/no such", reportsEnd: true }, ["true"])).toEqual({
		stdout: 'MARK\nCannot start "true": its folder is gone\nMARK\n',
		stderr: "MARK started N\nMARK ended 127\n",
		exitCode: 127,
	});
});

test("launchScript() reads the environment file, and says when it is gone", async () => {
	using folder = temporaryFolder();
	const path = join(folder.path, "it's");
	const environment = { path, upload: undefined, remove: [], isTemporary: false };
	expect(await run(sh, { environment }, ["env"])).toEqual({ stdout: "", stderr: "MARK lost\n", exitCode: 1 });
	writeFileSync(path, "unset OLD\nexport NEW='2'\n");
	const { stdout } = await run(sh, { environment }, ["sh", "-c", `echo "\${OLD-none} $NEW"`]);
	expect(stdout).toBe("MARK\nnone 2\n");
});

test("launchScript() takes exactly the environment from the input and leaves the rest to the program", async () => {
	using folder = temporaryFolder();
	const content = "export A='1'\nset -- cat -\n";
	const old = join(folder.path, "old");
	writeFileSync(old, "");
	const path = join(folder.path, "new");
	const environment = { path, upload: { bytes: content.length }, remove: [old], isTemporary: true };
	const line = loginLine(sh, launchScript({ ...launch, hasInput: true, environment }), []);
	const child = Bun.spawn([sh, "-c", line], {
		stdin: Buffer.from(`${content}own input`),
		stdout: "pipe",
		stderr: "pipe",
	});
	expect(shown(await new Response(child.stdout).text())).toBe("MARK\nown input");
	expect(await Promise.all([Bun.file(old).exists(), Bun.file(path).exists()])).toEqual([false, false]);
});

test("launchScript() says when the environment cannot be written", async () => {
	const environment = { path: "/proc/no/file", upload: { bytes: 1 }, remove: [], isTemporary: false };
	const { stdout, stderr } = await run(sh, { environment }, ["true"]);
	expect({ stdout, isTold: stderr.endsWith("MARK full\n") }).toEqual({ stdout: "", isTold: true });
});
