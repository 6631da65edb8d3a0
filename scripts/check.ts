/** `bun run check`: everything the build server runs, in order, each step timed; the first failure ends it with one clear line. */

import { join } from "node:path";
import { parseArgs } from "node:util";
import { failedTests, lastTestFile, type TestCounts, testCounts } from "./test-counts.ts";

const root = join(import.meta.dir, "..");
const bun = process.execPath;

/** One step; `command` runs in the project's folder. */
interface Step {
	readonly name: string;
	readonly command: readonly string[];
	readonly env?: Readonly<Record<string, string>>;
}

/** The steps before the tests. Executables are built first because tests of them run with the others. */
const preparation: readonly Step[] = [
	{ name: "format and lint", command: [bun, "run", "--bun", "biome", "check", "--error-on-warnings", "."] },
	{ name: "types", command: [bun, "run", "--bun", "tsc", "--noEmit", "-p", "."] },
	{ name: "architecture", command: [bun, "test", "test/architecture.test.ts"] },
	{ name: "build", command: [bun, "scripts/build-binary.ts", "--all"] },
	{ name: "binary smoke", command: ["dist/hermes", "--version"] },
];

/** Milliseconds that a test may take which names no limit: the five seconds of Bun are over soon on a machine with other work. */
const testLimitMs = 60_000;

/** Of tests that may run side by side. Bun starts 20, which is no faster on a few processors, and then each takes as long as all. */
const testsAtOnce = 10;

const testCommand = [bun, "test", `--timeout=${testLimitMs}`, `--max-concurrency=${testsAtOnce}`] as const;

async function main(): Promise<number> {
	const { values } = parseArgs({ options: { soak: { type: "boolean", default: false } } });
	for (const step of preparation) {
		const { exitCode, text } = await runStep(step);
		if (exitCode !== 0) return stop(step, exitCode, text);
	}
	const tests: Step = { name: "tests", command: testCommand, env: testVariables(values.soak) };
	const { exitCode, text } = await runStep(tests);
	const counts = testCounts(text);
	if (counts === undefined) {
		return stop({ ...tests, name: `tests: no summary, the last file was ${lastTestFile(text)}` }, exitCode, text);
	}
	if (exitCode === 0) return report(counts);
	if (await passAlone(tests, failedTests(text)))
		return report({ ...counts, passed: counts.passed + counts.failed, failed: 0 });
	await stop(tests, exitCode, text);
	await report(counts);
	return exitCode;
}

/**
 * Runs the files of failed tests once more, with nothing beside them: a test that passes then has met a busy machine, not a
 * fault. It is named all the same, so that somebody makes it steady.
 */
async function passAlone({ env }: Step, failed: readonly string[]): Promise<boolean> {
	const files = [...new Set(failed.map((line) => line.slice(0, line.indexOf(": "))))].filter((file) => file !== "");
	if (files.length === 0 || files.length > mostFilesAgain) return false;
	const command = [...testCommand, ...files];
	const { exitCode } = await runStep({ name: "failed tests alone", command, ...(env && { env }) });
	if (exitCode !== 0) return false;
	for (const line of failed) await say(`unsteady: ${line}`);
	return true;
}

/** More files than this do not fail by chance. */
const mostFilesAgain = 4;

/** The executables of all targets were just built, so there is no reason to skip their tests. */
function testVariables(isSoak: boolean): Record<string, string> {
	const required = [process.env.HERMES_TEST_REQUIRE, "targets"].filter(Boolean).join(",");
	// What was just built is what users run, and it starts in a fifth of the time that the sources take.
	const binary = process.env.HERMES_TEST_BINARY ?? join(root, "dist/hermes");
	return { HERMES_TEST_REQUIRE: required, HERMES_TEST_BINARY: binary, ...(isSoak && { HERMES_TEST_SOAK: "1" }) };
}

/** Runs one step, shows its output as it comes and keeps it. */
async function runStep({ name, command, env }: Step): Promise<{ exitCode: number; text: string }> {
	await say(`== ${name}`);
	const startedAt = performance.now();
	const child = Bun.spawn([...command], {
		cwd: root,
		env: { ...process.env, ...env },
		stdin: "ignore",
		stdout: "pipe",
		stderr: "pipe",
	});
	const [out, error] = await Promise.all([show(child.stdout), show(child.stderr)]);
	const exitCode = await child.exited;
	await say(`   ${name}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
	return { exitCode, text: out + error };
}

/** Copies a stream to standard output and returns its text. */
async function show(stream: ReadableStream<Uint8Array>): Promise<string> {
	const decoder = new TextDecoder();
	let text = "";
	for await (const chunk of stream) {
		await Bun.write(Bun.stdout, chunk);
		text += decoder.decode(chunk, { stream: true });
	}
	return text;
}

/** Everything goes to standard output and is waited for, so that what is said last is also read last. */
async function say(line: string): Promise<void> {
	await Bun.write(Bun.stdout, `${line}\n`);
}

async function stop({ name, command }: Step, exitCode: number, text: string): Promise<number> {
	for (const line of failedTests(text)) await say(`failed: ${line}`);
	await say(`check failed at "${name}" (exit code ${exitCode}): ${command.join(" ")}`);
	return exitCode === 0 ? 1 : exitCode;
}

async function report({ passed, failed, skipped }: TestCounts): Promise<number> {
	if (skipped > 0) await say(`${skipped} skipped`);
	// Read by machines: the last line, in this form, and nothing else on it.
	await say(`${passed} passed, ${failed} failed`);
	return 0;
}

process.exitCode = await main();
