/** Opening sessions: start-up files that misbehave, missing shells, and the files a session keeps. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BackendUnavailable, type Sandbox } from "../../../lib/environments/backend.ts";
import { execute } from "../../../lib/environments/shell/execute.ts";
import { openHostStateFolder, temporaryParent } from "../../../lib/environments/shell/host-state-folder.ts";
import { openLocal, openLocalShell, plainEnvironment } from "../../support/local-sandbox.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const signal = new AbortController().signal;
let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await openLocal();
});
afterAll(() => sandbox[Symbol.asyncDispose]());

/** A home with these files, and a session that logged in there. */
async function logInWith(files: Record<string, string>, options: { loginTimeoutSeconds?: number } = {}) {
	const home = temporaryFolder();
	for (const [name, text] of Object.entries(files)) await Bun.write(join(home.path, name), text);
	const warnings: string[] = [];
	const environment = { ...plainEnvironment, HOME: home.path };
	const onWarning = (text: string) => void warnings.push(text);
	const shell = await openLocalShell(sandbox, { environment, onWarning, ...options });
	const say = async (command: string) => {
		const { output, exitCode } = await execute(shell, command, { signal });
		return { output, exitCode };
	};
	return {
		shell,
		say,
		warnings,
		async [Symbol.asyncDispose]() {
			await shell[Symbol.asyncDispose]();
			home[Symbol.dispose]();
		},
	};
}

describe("openShell()", () => {
	test.each([
		"set -t",
		"set -e",
		"set -u",
		"set -x",
		"set -eux",
		"exec true",
		"return 1",
		"exit 0",
		"trap 'exit 0' EXIT",
		"false",
		"echo noise; echo noise >&2",
		"if",
		"cat",
		"cd /usr",
	])("gives a working session after %j in every start-up file", async (line) => {
		for (const file of [".profile", ".bashrc", ".bash_profile"]) {
			await using session = await logInWith({ [file]: `${line}\n` });
			expect(await session.say("echo a; false; echo $nope; pwd")).toEqual({ output: "a\n\n/tmp\n", exitCode: 0 });
		}
	});

	test("says that the start-up files ended the shell, and goes on without them", async () => {
		await using session = await logInWith({ ".bashrc": "export A=1\nexec true\n" });
		expect(session.warnings).toEqual([
			"The shell's start-up files ended the shell; commands run without what they set",
		]);
		expect(await session.say("echo ${A-none} $LANG")).toEqual({ output: "none C.UTF-8\n", exitCode: 0 });
	});

	test("says that the start-up files took too long, and ends them", async () => {
		await using session = await logInWith({ ".bashrc": "sleep 30\n" }, { loginTimeoutSeconds: 0.5 });
		expect(session.warnings).toEqual([
			"The shell's start-up files took longer than 0.5 s; commands run without what they set",
		]);
		expect(await session.say("echo fine")).toEqual({ output: "fine\n", exitCode: 0 });
	});

	test("reads .profile and .bashrc, whose early return for scripts hides nothing that comes before", async () => {
		await using session = await logInWith({
			".profile": 'export PATH="$HOME/tools:$PATH"\nexport P=1\n',
			".bashrc": "export R=1\ncase $- in *i*) ;; *) return;; esac\nexport AFTER=1\n",
		});
		expect(await session.say('echo $P $R ${AFTER-none}; case $PATH in "$HOME/tools:"*) echo first;; esac')).toEqual({
			output: "1 1 none\nfirst\n",
			exitCode: 0,
		});
	});

	test("reads every start-up file once", async () => {
		const count = (name: string) => `export N_${name}=$((N_${name} + 1))\n`;
		await using session = await logInWith({
			".profile": count("p"),
			".bash_profile": count("bp"),
			".bashrc": count("rc"),
		});
		expect(await session.say("echo $N_p $N_bp $N_rc")).toEqual({ output: "1 1 1\n", exitCode: 0 });
	});

	test("keeps functions but the helpers of completion", async () => {
		await using session = await logInWith({ ".bashrc": "_c() { :; }\n__keep() { echo kept; }\nf() { __keep; }\n" });
		expect(await session.say("f; type _c >/dev/null 2>&1 || echo dropped")).toEqual({
			output: "kept\ndropped\n",
			exitCode: 0,
		});
	});

	test("keeps the caller's own PATH entries around those of the login", async () => {
		const environment = { ...plainEnvironment, PATH: "/venv/bin:/usr/bin:/bin:/late" };
		await using shell = await openLocalShell(sandbox, { environment });
		const { output } = await execute(shell, 'echo "$PATH"', { signal });
		expect(output).toMatch(/^\/venv\/bin:.*\/usr\/bin.*:\/late\n$/);
	});

	test("throws BackendUnavailable with advice where there is no bash", async () => {
		const without: Sandbox = {
			...sandbox,
			ranOn: "nowhere",
			start: (argv, options) =>
				sandbox.start([argv[0]?.endsWith("bash") ? "/nope/bash" : (argv[0] ?? ""), ...argv.slice(1)], options),
		};
		const opening = openLocalShell(without);
		await expect(opening).rejects.toBeInstanceOf(BackendUnavailable);
		await expect(opening).rejects.toThrow("there is no bash; install it there");
	});

	test("is ended by its signal", async () => {
		using home = temporaryFolder();
		await Bun.write(join(home.path, ".bashrc"), "sleep 30\n");
		const environment = { ...plainEnvironment, HOME: home.path };
		const opening = openLocalShell(sandbox, { environment, signal: AbortSignal.timeout(300) });
		await expect(opening).rejects.toThrow("timed out");
	});
});

describe("a session", () => {
	test("does not carry the marks of its calls", async () => {
		await using shell = await openLocalShell(sandbox);
		await execute(shell, "export HERMES_CALL HERMES_RUN A=1", { signal });
		const names = [...shell.state.values.variables.keys()];
		expect({ marks: names.filter((name) => name.startsWith("HERMES_")), hasA: names.includes("A") }).toEqual({
			marks: [],
			hasA: true,
		});
	});

	test("keeps its files private, and removes them", async () => {
		await using shell = await openLocalShell(sandbox);
		const path = shell.route.files.reserve();
		const folder = join(path, "..");
		await execute(shell, "umask 0; f() { :; }; export SECRET=1", { signal });
		using outside = temporaryFolder();
		const seen = join(outside.path, "seen");
		const running = execute(shell, `umask 0; until [ -e ${seen} ]; do sleep 0.01; done`, { signal });
		while (readdirSync(folder).length === 0) await Bun.sleep(5);
		const modes = readdirSync(folder).map((name) => statSync(join(folder, name)).mode & 0o777);
		writeFileSync(seen, "");
		expect({ folder: statSync(folder).mode & 0o777, modes }).toEqual({ folder: 0o700, modes: modes.map(() => 0o600) });
		await running;
		await shell[Symbol.asyncDispose]();
		expect(statSync(folder, { throwIfNoEntry: false })).toBeUndefined();
	});

	test("writes its state for its owner alone whatever the umask", async () => {
		await using shell = await openLocalShell(sandbox);
		const { captureScript } = await import("../../../lib/environments/shell/bash-script.ts");
		const path = shell.route.files.reserve();
		await execute(shell, `umask 0; ${captureScript(path)}`, { signal });
		expect(statSync(path).mode & 0o777).toBe(0o600);
	});

	test("goes on when somebody removed its files", async () => {
		await using shell = await openLocalShell(sandbox);
		await execute(shell, "f() { echo F; }; export A=1", { signal });
		await shell.route[Symbol.asyncDispose]();
		expect((await execute(shell, "echo $A; export B=2", { signal })).output).toBe("1\n");
		expect((await execute(shell, "echo $B", { signal })).output).toBe("2\n");
	});

	test("keeps variables that bash cannot hold, and survives hostile ones", async () => {
		const environment = {
			...plainEnvironment,
			"a.b": "dot",
			"BASH_FUNC_evil%%": "() { echo evil; }",
			"x-y": "1",
			IFS: "/",
			"": "",
		};
		await using shell = await openLocalShell(sandbox, { environment });
		await execute(
			shell,
			"unset -f evil; export PS4='$(touch /tmp/hermes-evil)' BASH_ENV=/nope ENV=/nope POSIXLY_CORRECT=1",
			{ signal },
		);
		const { output } = await execute(
			shell,
			"evil 2>/dev/null || echo gone; echo $POSIXLY_CORRECT; cd /usr; export C=3",
			{ signal },
		);
		expect(output).toBe("gone\n1\n");
		expect((await execute(shell, "pwd; echo $C", { signal })).output).toBe("/usr\n3\n");
	});

	test("says where a command was started, although the sandbox was replaced before it ended", async () => {
		let ranOn = "first";
		const replaced: Sandbox = Object.defineProperty({ ...sandbox }, "ranOn", { get: () => ranOn });
		await using shell = await openLocalShell(replaced);
		const onOutput = () => {
			ranOn = "second";
		};
		expect(await execute(shell, "echo begun; sleep 0.2", { signal, onOutput })).toMatchObject({ ranOn: "first" });
		expect(await execute(shell, "true", { signal })).toMatchObject({ ranOn: "second" });
	});

	test("refuses a NUL character in a command", async () => {
		await using shell = await openLocalShell(sandbox);
		await expect(execute(shell, "echo a\0b", { signal })).rejects.toThrow("NUL");
	});
});

describe("the folder of a session", () => {
	test("is swept only when its process is dead and it is old", async () => {
		using parent = temporaryFolder();
		expect(temporaryParent({ TMPDIR: "relative", TMP: parent.path })).toBe(parent.path);
		expect(temporaryParent({ TMPDIR: "/nope" })).toBe("/tmp");
	});

	test("finds the nearest folder through links and files", async () => {
		using parent = temporaryFolder();
		using folder = openHostStateFolder(plainEnvironment);
		await Bun.write(join(parent.path, "file"), "");
		symlinkSync(parent.path, join(parent.path, "link"));
		expect(folder.nearestFolder(join(parent.path, "link"))).toEqual({ path: parent.path, isAsked: true });
		expect(folder.nearestFolder(join(parent.path, "file/x"))).toEqual({ path: parent.path, isAsked: false });
		chmodSync(parent.path, 0o700);
	});
});
