/** What users have reported about commands that take long, read their input, or leave others behind. */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Sandbox } from "../../lib/environments/backend.ts";
import { execute } from "../../lib/environments/shell/execute.ts";
import type { Shell } from "../../lib/environments/shell/shell.ts";
import { openLocal, openLocalShell } from "../support/local-sandbox.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

setDefaultTimeout(60_000);

let folder: ReturnType<typeof temporaryFolder>;
let sandbox: Sandbox;
let shell: Shell;
beforeAll(async () => {
	folder = temporaryFolder();
	sandbox = await openLocal();
	shell = await openLocalShell(sandbox, { cwd: folder.path });
});
afterAll(async () => {
	await shell[Symbol.asyncDispose]();
	await sandbox[Symbol.asyncDispose]();
	folder[Symbol.dispose]();
});

const run = (command: string, options: Partial<Parameters<typeof execute>[2]> = {}) =>
	execute(shell, command, { signal: new AbortController().signal, ...options });
/** Processes whose command line holds `number`; the brackets keep the shell that looks from finding itself. */
const survivors = async (number: string) =>
	(await run(`grep -la '${number.slice(0, -1)}[${number.at(-1)}]' /proc/[0-9]*/cmdline 2>/dev/null; true`)).output;
const anyNumber = () => `8${Math.floor(Math.random() * 1e8)}`;

test("a time limit ends children that hold pipes as well (R038)", async () => {
	const number = anyNumber();
	const command = `mkfifo p; (while :; do echo c; sleep 0.${number}; done) > p & cat p`;
	const began = performance.now();
	expect(await run(command, { timeoutSeconds: 1 })).toMatchObject({ ended: "timed_out", exitCode: 124 });
	expect(performance.now() - began).toBeLessThan(20_000);
	expect(await survivors(number)).toBe("");
});

test("a command whose own time limit ends it returns although its children live on (R041)", async () => {
	const number = anyNumber();
	const command = `timeout 1 sh -c '(sleep ${number} &) ; yes | head -c 200000; sleep ${number}'`;
	const limits = { keepBytes: 50_000 };
	const outcome = await run(command, { timeoutSeconds: 30, limits });
	expect(outcome).toMatchObject({ ended: "exited", exitCode: 124, truncated: { omittedBytes: 150_000 } });
	await run(
		`for f in $(grep -la '${number.slice(0, -1)}[${number.at(-1)}]' /proc/[0-9]*/cmdline); do f=\${f%/cmdline}; kill \${f#/proc/}; done`,
	);
});

test.each(["cat", "python3", "wc -c", "read line; echo $?"])(
	"%s reads the end of its input at once (R043)",
	async (command) => {
		expect(await run(command, { timeoutSeconds: 30 })).toMatchObject({ ended: "exited" });
	},
);

test("output is handed over while the command runs (R049)", async () => {
	const seen: string[] = [];
	const stop = new AbortController();
	const outcome = await run("for i in 1 2 3; do echo $i; sleep 0.1; done; sleep 30", {
		signal: stop.signal,
		onOutput(text) {
			seen.push(text);
			if (seen.join("") === "1\n2\n3\n") stop.abort();
		},
	});
	expect({ seen: seen.join(""), ended: outcome.ended }).toEqual({ seen: "1\n2\n3\n", ended: "interrupted" });
});

test("an interrupt leaves nothing of the command behind (R050)", async () => {
	const number = anyNumber();
	const stop = new AbortController();
	const running = run(`echo up; sh -c 'sleep ${number} & sleep ${number}'`, {
		signal: stop.signal,
		onOutput: () => stop.abort(),
	});
	expect(await running).toMatchObject({ ended: "interrupted", exitCode: 130 });
	expect(await survivors(number)).toBe("");
});
