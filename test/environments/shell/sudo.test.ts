/** Commands that run sudo, with a real sudo that asks for a password. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Sandbox } from "../../../lib/environments/backend.ts";
import { execute } from "../../../lib/environments/shell/execute.ts";
import { openShell, type Shell } from "../../../lib/environments/shell/shell.ts";
import { SudoPasswords } from "../../../lib/environments/shell/sudo/passwords.ts";
import { openLocal, plainEnvironment } from "../../support/local-sandbox.ts";
import { requireService, serviceVariable } from "../../support/required-service.ts";
import { hasSsh, openSsh } from "../ssh/ssh-service.ts";

const { signal } = new AbortController();
const hasSudo = await requireService("sudo", async () => serviceVariable("HERMES_TEST_SUDO_PASSWORD"));
const canLogIn = hasSudo && (await hasSsh());

/** The local backend as the user who has to give a password. */
async function openAsUser(): Promise<Sandbox> {
	const sandbox = await openLocal();
	const as = [
		"setpriv",
		`--reuid=${serviceVariable("HERMES_TEST_SUDO_USER")}`,
		"--regid=sshuser",
		"--init-groups",
		"--",
	];
	return { ...sandbox, start: (argv, options) => sandbox.start([...as, ...argv], options) };
}

describe.skipIf(!hasSudo)("execute() with sudo", () => {
	let sandbox: Sandbox;
	let folder: string;
	let password: string;
	beforeAll(async () => {
		sandbox = await openAsUser();
		password = serviceVariable("HERMES_TEST_SUDO_PASSWORD");
		folder = mkdtempSync("/tmp/hermes-sudo-test-");
		chmodSync(folder, 0o777);
	});
	afterAll(async () => {
		await sandbox[Symbol.asyncDispose]();
		rmSync(folder, { recursive: true });
	});

	/** A session whose state others can write: commands of the test run as another user than we do. */
	const open = (sudo: SudoPasswords | undefined, place = sandbox): Promise<Shell> =>
		openShell({ sandbox: place, files: "sync", cwd: folder, environment: plainEnvironment, signal, sudo });
	const configured = (word = password) => new SudoPasswords({ configured: word });
	const run = async (shell: Shell, command: string, stdin?: string) => {
		const options = { signal, timeoutSeconds: 30, ...(stdin !== undefined && { stdin }) };
		const { output, exitCode } = await execute(shell, command, options);
		return { output, exitCode };
	};

	test("gives the password where sudo asks, and to nobody else", async () => {
		await using shell = await open(configured());
		expect(await run(shell, "sudo id -u")).toEqual({ output: "0\n", exitCode: 0 });
		const all = "sudo cat /proc/self/environ | tr '\\0' '\\n'; sudo cat /proc/self/cmdline; env; declare -f; cat";
		expect((await run(shell, all, "the input")).output).not.toContain(password);
	});

	test("two sudos in one line, side by side and in a pipe all get it, with the input untouched", async () => {
		await using shell = await open(configured());
		expect(await run(shell, "sudo id -u; sudo id -u")).toEqual({ output: "0\n0\n", exitCode: 0 });
		expect(await run(shell, "echo in | sudo cat - | sudo sed s/in/through/")).toEqual({
			output: "through\n",
			exitCode: 0,
		});
		expect(await run(shell, "sudo id -u & sudo id -u & sudo id -u & wait")).toEqual({
			output: "0\n0\n0\n",
			exitCode: 0,
		});
		expect(await run(shell, "sudo cat", "what was given")).toEqual({ output: "what was given", exitCode: 0 });
	});

	test("a sudo that needs no password writes none into the command's input: sudo tee f", async () => {
		let asked = 0;
		const ask = async () => {
			asked++;
			return password;
		};
		await using shell = await open(new SudoPasswords({ ask }));
		const file = join(folder, "tee");
		expect(await run(shell, `echo content | sudo tee ${file}`)).toEqual({ output: "content\n", exitCode: 0 });
		expect([readFileSync(file, "utf8"), asked]).toEqual(["content\n", 0]);
		expect(await run(shell, `sudo rm ${file} && echo gone`)).toEqual({ output: "gone\n", exitCode: 0 });
		expect(asked).toBe(1);
	});

	test("asks once in a session, and not again before the next one", async () => {
		const questions: string[] = [];
		const source = {
			ask: async (text: string) => {
				questions.push(text);
				return password;
			},
		};
		await using first = await open(new SudoPasswords(source));
		await using second = await open(new SudoPasswords(source));
		const both = "sudo id -u & sudo id -u & wait";
		expect((await run(first, both)).output).toBe("0\n0\n");
		expect((await run(first, "sudo id -u")).output).toBe("0\n");
		expect(questions).toEqual(["sudo on local needs your password (Enter to go on without):"]);
		expect((await run(second, "sudo id -u")).output).toBe("0\n");
		expect(questions.length).toBe(2);
	});

	test("what one session knows, another cannot use", async () => {
		await using first = await open(new SudoPasswords({ ask: async () => password }));
		await using second = await open(new SudoPasswords({ ask: async () => undefined }));
		expect((await run(first, "sudo id -u")).exitCode).toBe(0);
		expect((await run(second, "sudo id -u")).exitCode).toBe(1);
		expect([first.sudo?.secrets.has(password), second.sudo?.secrets.size]).toEqual([true, 0]);
	});

	test("a wrong password is tried once, and asked for anew by the next command", async () => {
		const answers = ["wrong one", password];
		const passwords = new SudoPasswords({ ask: async () => answers.shift() });
		await using shell = await open(passwords);
		const wrong = await run(shell, "sudo id -u");
		expect([wrong.exitCode, wrong.output.includes("1 incorrect password attempt")]).toEqual([1, true]);
		expect(await run(shell, "sudo id -u")).toEqual({ output: "0\n", exitCode: 0 });
		expect([...passwords.secrets]).toEqual(["wrong one", password]);
	});

	test("an empty password that the user has set is tried, and nobody is asked", async () => {
		const ask = () => Promise.reject(new Error("nobody is to be asked"));
		await using shell = await open(new SudoPasswords({ configured: "", ask }));
		expect((await run(shell, "sudo id -u")).exitCode).toBe(1);
	});

	test("fails clearly where nobody can answer", async () => {
		await using shell = await open(new SudoPasswords());
		const { output, exitCode } = await run(shell, "sudo id -u");
		expect([output.includes("a terminal is required to read the password"), exitCode]).toEqual([true, 1]);
	});

	test("a script that only mentions sudo is left as it is", async () => {
		await using shell = await open(configured());
		const file = join(folder, "script");
		expect(await run(shell, `cat > ${file} <<'EOF'\nsudo id -u\nEOF\ncat ${file}`)).toEqual({
			output: "sudo id -u\n",
			exitCode: 0,
		});
	});

	test("a program that is no sudo gets no password, though it asks as one would", async () => {
		await using shell = await open(configured());
		const thief = [
			"f=$(tr '\\0' ' ' </proc/$$/cmdline | grep -o 'SUDO_ASKPAS[S]=/[^ ]*' | head -1); f=${f#*=}; f=${f%/askpass}",
			'ls -d "$f" && timeout 2 sh "$f/askpass"',
			'timeout 2 cat "$f/requests"',
			"true || sudo id",
		].join("\n");
		const { output } = await run(shell, thief);
		expect([output.includes("hermes-sudo-"), output.includes(password)]).toEqual([true, false]);
	});

	test("nothing of it is left when the command has ended, timed out or was interrupted", async () => {
		await using shell = await open(configured());
		await run(shell, "sudo id -u");
		const late = await execute(shell, "sudo sleep 30", { signal, timeoutSeconds: 1 });
		const stopped = new AbortController();
		setTimeout(() => stopped.abort(), 500);
		const interrupted = await execute(shell, "sudo sleep 30", { signal: stopped.signal });
		expect([late.ended, interrupted.ended]).toEqual(["timed_out", "interrupted"]);
		const left = await run(
			shell,
			"ls -d /dev/shm/hermes-sudo-?????? /tmp/hermes-sudo-?????? 2>/dev/null; pgrep -f hermes-sud[o]$",
		);
		expect(left.output).toBe("");
	});

	test("shows its session nothing but a sudo: functions and folder stay, and nothing new is exported", async () => {
		await using shell = await open(configured());
		expect((await run(shell, "cd /; export A=1; f() { sudo id -u; }; f")).output).toBe("0\n");
		expect((await run(shell, 'echo "$PWD $A $SUDO_ASKPASS"')).output).toBe("/ 1 \n");
	});

	test.skipIf(!canLogIn)("works on ssh, with a password of its own for that place", async () => {
		await using place = await openSsh();
		const asked: string[] = [];
		const ask = async (text: string) => {
			asked.push(text);
			return password;
		};
		await using shell = await open(new SudoPasswords({ ask }), place.sandbox);
		expect(await run(shell, "echo in | sudo cat; sudo id -u")).toEqual({ output: "in\n0\n", exitCode: 0 });
		expect(asked).toEqual([`sudo on ${place.sandbox.ranOn} needs your password (Enter to go on without):`]);
	});
});
