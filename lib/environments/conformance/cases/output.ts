/** What a command says, and when its output ends. */

import { equal, holds } from "../assertions.ts";
import type { ConformanceCase } from "../conformance-case.ts";
import { memoryOfOutput } from "../memory-of-output.ts";
import { says, sequence } from "../sequence.ts";

/** Generous: a loaded machine is slow, and what hangs would take 30 s. */
const promptMs = 15_000;

const megabyte = 1_000_000;

/**
 * Our own process may grow by this much while 200 MB pass through. What came through a socket waits for the garbage collector,
 * which takes its time; the local backend stays far below.
 */
const memoryLimitBytes = 150 * megabyte;

/** Cases about output. */
export const outputCases: readonly ConformanceCase[] = [
	{
		name: "execute() returns the exit code and the output of a failing command",
		async run(_shell, { run }) {
			const { output, exitCode, ended } = await run("echo hi; exit 3");
			equal({ output, exitCode, ended }, { output: "hi\n", exitCode: 3, ended: "exited" });
		},
	},
	sequence("execute() returns empty output for a silent command", ["true"], says("")),
	sequence("execute() adds no newline to output that ends without one", ["printf abc"], says("abc")),
	sequence(
		"execute() merges stdout and stderr in order",
		["echo a; echo b >&2; echo c; echo d >&2"],
		says("a\nb\nc\nd\n"),
	),
	sequence(
		"execute() keeps carriage returns and a byte order mark",
		["printf '\\357\\273\\277a\\r\\n'"],
		says("\ufeffa\r\n"),
	),
	sequence(
		"execute() turns bytes that are no UTF-8 into replacement characters and keeps the rest",
		["printf 'a\\377\\376\\303\\251\\303z\\000.'"],
		says("a\ufffd\ufffdé\ufffdz\0."),
	),
	{
		name: "execute() puts a character together that arrives in two parts",
		async run(_shell, { run }) {
			const parts: string[] = [];
			const onOutput = (text: string) => void parts.push(text);
			const { output } = await run(
				"printf 'a\\303'; sleep 0.3; printf '\\251\\360\\237'; sleep 0.3; printf '\\230\\200'",
				{ onOutput },
			);
			equal({ output, live: parts.join("") }, { output: "aé😀", live: "aé😀" });
		},
	},
	{
		name: "execute() hands over output while the command still runs",
		async run(_shell, { run }) {
			const first = Promise.withResolvers<string>();
			const running = run(
				"echo first; cat fifo-that-is-not-there 2>/dev/null; until [ -e go ]; do sleep 0.05; done; echo last",
				{
					onOutput: first.resolve,
				},
			);
			equal(await first.promise, "first\n");
			await run("touch go");
			equal((await running).output, "first\nlast\n");
		},
	},
	{
		name: "execute() takes 200 MB of output in bounded memory, and counts what it drops",
		needs: ["own-memory"],
		alone: true,
		async run(_shell, { run }) {
			const { grownBytes, characters, outcome } = await memoryOfOutput(run, 200 * megabyte);
			equal(characters, 200 * megabyte + 5);
			holds(outcome.output.endsWith("x\nend\n"), "the end of the output is missing");
			holds((outcome.truncated?.omittedBytes ?? 0) > 190 * megabyte, "the dropped bytes were not counted");
			holds(grownBytes < memoryLimitBytes, `memory grew by ${grownBytes} bytes`);
		},
	},
	{
		name: "execute() keeps the two ends of long output",
		async run(_shell, { run }) {
			const { output, truncated } = await run("printf '%01000d' 0; printf '%01000d' 1", { limits: { keepBytes: 10 } });
			equal(
				{ output, truncated },
				{ output: "0000\n\n[1990 bytes omitted]\n\n000001", truncated: { omittedBytes: 1990 } },
			);
		},
	},
	{
		name: "execute() cuts long output between characters",
		async run(_shell, { run }) {
			const { output } = await run("printf 'éééééééééé'", { limits: { keepBytes: 8 } });
			equal(output, "é\n\n[12 bytes omitted]\n\néé");
		},
	},
	sequence(
		"execute() gives commands an output that can be opened again",
		["echo a > /dev/stdout; echo b | tee /dev/stderr > /dev/null; echo c >> /proc/self/fd/1 2>/dev/null || echo c"],
		says("a\nb\nc\n"),
	),
	quick("execute() does not wait for a background job that holds the output", "sleep 30 & disown; echo now", "now\n"),
	quick("execute() does not wait for a job in another session", "setsid sleep 30 & echo now", "now\n"),
	quick("execute() does not wait for a grandchild of a subshell", "(sleep 30; echo late) & echo now", "now\n"),
	{
		name: "execute() returns while a background job keeps writing",
		async run(_shell, { run }) {
			const startedAt = performance.now();
			const { output } = await run("yes & sleep 0.3; echo done; (sleep 1; kill $!) >/dev/null 2>&1 &", {
				limits: { keepBytes: 100_000 },
			});
			holds(output.includes("y\n"), "the job's output is missing");
			holds(performance.now() - startedAt < promptMs, "the call waited for the job");
		},
	},
	{
		name: "execute() has everything the command wrote although a background job holds the output",
		async run(_shell, { run }) {
			const wanted = Array.from({ length: 20_000 }, (_, index) => `${index + 1}\n`).join("");
			for (let round = 0; round < 5; round++) equal((await run("sleep 5 & seq 20000")).output, wanted);
		},
	},
	sequence(
		"execute() has the output that passes through a process substitution",
		["exec > >(tee -a log) 2>&1 && echo hi"],
		says("hi\n"),
	),
	{
		name: "execute() lets a background job that still writes live on",
		async run(_shell, { run }) {
			// Longer than services wait for a job's end, and more than a pipe holds.
			await run("(for i in 1 2 3 4 5 6; do sleep 0.5; echo tick; head -c 50000 /dev/zero; done; echo alive >proof) &");
			const { output } = await run("until [ -e proof ]; do sleep 0.1; done; cat proof", { timeoutSeconds: 30 });
			equal(output, "alive\n");
		},
	},
];

function quick(name: string, command: string, output: string): ConformanceCase {
	return {
		name,
		async run(_shell, { say }) {
			const startedAt = performance.now();
			equal(await say(command), says(output));
			holds(performance.now() - startedAt < promptMs, "the call waited");
		},
	};
}
