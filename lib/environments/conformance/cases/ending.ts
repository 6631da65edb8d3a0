/** Commands that are ended, and what must and must not end with them. */

import { equal, holds, holdsWithin } from "../assertions.ts";
import type { CaseContext, ConformanceCase } from "../conformance-case.ts";
import { ownDescriptors, ownProcesses } from "../own-process.ts";

/** A loop that shows in a file that it lives. */
const beat = (file: string) => `while :; do echo x >>${file}; sleep 0.1; done`;

/** Longer than several beats, also on a slow machine. */
const silenceSeconds = 1;

/** Cases about timeouts, interrupts and leftovers. */
export const endingCases: readonly ConformanceCase[] = [
	{
		name: "execute() ends a command that takes too long, with code 124 and what it said",
		async run(_shell, { run }) {
			const { output, exitCode, ended } = await run("echo a; sleep 30; echo b", { timeoutSeconds: 1.5 });
			equal(
				{ output, exitCode, ended },
				{ output: "a\n\n[Command timed out after 1.5s]", exitCode: 124, ended: "timed_out" },
			);
		},
	},
	{
		name: "execute() says only that the time was over when a command was silent",
		async run(_shell, { say }) {
			equal(await say("sleep 30", { timeoutSeconds: 0.3 }), {
				output: "[Command timed out after 0.3s]",
				exitCode: 124,
			});
		},
	},
	{
		name: "execute() goes on after a timeout with what the command had set",
		async run(_shell, { run, say }) {
			await run("export A=1; cd /usr; sleep 30", { timeoutSeconds: 1.5 });
			equal(await say("echo next"), { output: "next\n", exitCode: 0 });
		},
	},
	{
		name: "execute() kills a command that ignores SIGTERM",
		async run(_shell, context) {
			const { exitCode } = await context.run(`trap '' TERM; ${beat("f")}`, { timeoutSeconds: 1.5 });
			equal(exitCode, 124);
			await isSilent(context, "f");
		},
	},
	{
		name: "execute() kills the whole tree on a timeout",
		async run(_shell, context) {
			await context.run(
				`(trap '' TERM; ${beat("f1")}) & sh -c '${beat("f2")}' & bash -c '${beat("f3")}; true' & wait`,
				{ timeoutSeconds: 2 },
			);
			await isSilent(context, "f1", "f2", "f3");
		},
	},
	{
		name: "execute() kills readers and writers of a named pipe on a timeout",
		async run(_shell, context) {
			const command = `mkfifo p; (while :; do echo c; echo x >>f; sleep 0.1; done) >p & cat p`;
			const { ended } = await context.run(command, { timeoutSeconds: 2 });
			equal(ended, "timed_out");
			await isSilent(context, "f");
		},
	},
	{
		name: "execute() kills processes that left their session on a timeout",
		needs: ["escapees"],
		async run(_shell, context) {
			await context.run(
				`setsid sh -c '${beat("f1")}' & (setsid setsid bash -c "trap '' TERM; ${beat("f2")}" &) ; sleep 30`,
				{ timeoutSeconds: 2 },
			);
			await isSilent(context, "f1", "f2");
		},
	},
	{
		name: "execute() leaves a parallel command alone when another one times out",
		async run(_shell, { run, say }) {
			const other = say("sleep 2; echo whole");
			await run("setsid sleep 30 & sleep 30", { timeoutSeconds: 0.4 });
			equal(await other, { output: "whole\n", exitCode: 0 });
		},
	},
	{
		name: "execute() leaves a server alone that an earlier command started",
		async run(_shell, context) {
			await context.run(`(${beat("f")}) >/dev/null 2>&1 & echo $! >pid`);
			await context.run("sleep 30", { timeoutSeconds: 0.4 });
			await context.run("true");
			const before = await sizes(context, ["f"]);
			await holdsWithin(15_000, "the server is gone", async () => (await sizes(context, ["f"])) !== before);
			await context.run("kill $(cat pid)");
		},
	},
	{
		name: "execute() passes on what coreutils timeout did, and does not wait for what it left",
		async run(_shell, { run }) {
			const command = "timeout 3 sh -c '(sleep 30 &) ; yes | head -c 200000; sleep 30'";
			const { exitCode, ended, output } = await run(command);
			equal({ exitCode, ended, length: output.length }, { exitCode: 124, ended: "exited", length: 200_000 });
		},
	},
	{
		name: "execute() ends an interrupted command and everything it started, with code 130",
		async run(_shell, context) {
			const controller = new AbortController();
			const onOutput = () => controller.abort();
			const command = `sh -c '${beat("f1")}' & until [ -s f1 ]; do sleep 0.05; done; echo x >f2; echo up; ${beat("f2")}`;
			const { output, exitCode, ended } = await context.run(command, { signal: controller.signal, onOutput });
			equal(
				{ output, exitCode, ended },
				{ output: "up\n\n[Command interrupted]", exitCode: 130, ended: "interrupted" },
			);
			await isSilent(context, "f1", "f2");
		},
	},
	{
		name: "execute() starts nothing when it is interrupted before",
		async run(_shell, { run, say }) {
			const { exitCode, ended } = await run("touch f", { signal: AbortSignal.abort() });
			equal({ exitCode, ended }, { exitCode: 130, ended: "interrupted" });
			equal(await say("ls"), { output: "", exitCode: 0 });
		},
	},
	{
		name: "execute() leaves nothing behind after 200 commands",
		needs: ["own-process"],
		alone: true,
		async run(_shell, { run }) {
			await run("true");
			const before = { descriptors: ownDescriptors(), processes: ownProcesses() };
			for (let call = 0; call < 200; call++) await run(call % 20 === 0 ? "sleep 0.2 & echo a" : "echo a");
			const isBack = async () => ownDescriptors() <= before.descriptors && ownProcesses() <= before.processes;
			await holdsWithin(15_000, "descriptors or processes are left", isBack);
		},
	},
	{
		name: "execute() leaves nothing behind after commands that were killed or had input",
		needs: ["own-process"],
		alone: true,
		async run(_shell, { run }) {
			await run("cat", { stdin: "a" });
			const before = { descriptors: ownDescriptors(), processes: ownProcesses() };
			for (let call = 0; call < 4; call++) {
				await run("sleep 30", { timeoutSeconds: 0.05 });
				await run("true", { stdin: new Uint8Array(200_000) });
			}
			const isBack = async () => ownDescriptors() <= before.descriptors && ownProcesses() <= before.processes;
			await holdsWithin(15_000, "descriptors or processes are left", isBack);
		},
	},
];

async function sizes({ run }: CaseContext, files: readonly string[]): Promise<string> {
	return (await run(`cat ${files.join(" ")} | wc -c`)).output;
}

async function isSilent(context: CaseContext, ...files: readonly string[]): Promise<void> {
	for (const file of files)
		equal(await context.say(`[ -s ${file} ] && echo lived`), { output: "lived\n", exitCode: 0 });
	const before = await sizes(context, files);
	await context.run(`sleep ${silenceSeconds}`);
	holds((await sizes(context, files)) === before, "a process of the command lives on");
}
