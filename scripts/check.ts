/** `bun run check`: everything the build server runs, in order, each step timed; the first failure ends it with one clear line. */

import { join } from "node:path";
import { parseArgs } from "node:util";
import { type TestCounts, testCounts } from "./test-counts.ts";

const root = join(import.meta.dir, "..");
const bun = process.execPath;

/** One step; `command` runs in the project's folder. */
interface Step {
	readonly name: string;
	readonly command: readonly string[];
	readonly env?: Readonly<Record<string, string>>;
}

/** The steps before the tests. The binary is built first because tests of it run with the others. */
const preparation: readonly Step[] = [
	{ name: "format and lint", command: [bun, "run", "--bun", "biome", "check", "--error-on-warnings", "."] },
	{ name: "types", command: [bun, "run", "--bun", "tsc", "--noEmit", "-p", "."] },
	{ name: "architecture", command: [bun, "test", "test/architecture.test.ts"] },
	{ name: "build", command: [bun, "scripts/build-binary.ts"] },
	{ name: "binary smoke", command: ["dist/hermes", "--version"] },
];

async function main(): Promise<number> {
	const { values } = parseArgs({ options: { soak: { type: "boolean", default: false } } });
	for (const step of preparation) {
		const { exitCode } = await runStep(step);
		if (exitCode !== 0) return failed(step, exitCode);
	}
	const tests: Step = { name: "tests", command: [bun, "test"], ...(values.soak && { env: { HERMES_TEST_SOAK: "1" } }) };
	const { exitCode, text } = await runStep(tests);
	const counts = testCounts(text);
	if (exitCode !== 0) failed(tests, exitCode);
	if (counts === undefined) return failed({ ...tests, name: "tests: no summary was printed" }, exitCode);
	report(counts);
	return exitCode;
}

/** Runs one step, shows its output as it comes and keeps it. */
async function runStep({ name, command, env }: Step): Promise<{ exitCode: number; text: string }> {
	console.log(`== ${name}`);
	const startedAt = performance.now();
	const child = Bun.spawn([...command], {
		cwd: root,
		env: { ...process.env, ...env },
		stdin: "ignore",
		stdout: "pipe",
		stderr: "pipe",
	});
	const [out, error] = await Promise.all([tee(child.stdout, process.stdout), tee(child.stderr, process.stderr)]);
	const exitCode = await child.exited;
	console.log(`   ${name}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
	return { exitCode, text: out + error };
}

/** Copies a stream to `target` and returns its text. */
async function tee(stream: ReadableStream<Uint8Array>, target: NodeJS.WriteStream): Promise<string> {
	const decoder = new TextDecoder();
	let text = "";
	for await (const chunk of stream) {
		target.write(chunk);
		text += decoder.decode(chunk, { stream: true });
	}
	return text;
}

function failed({ name, command }: Step, exitCode: number): number {
	console.error(`check failed at "${name}" (exit code ${exitCode}): ${command.join(" ")}`);
	return exitCode === 0 ? 1 : exitCode;
}

function report({ passed, failed, skipped }: TestCounts): void {
	if (skipped > 0) console.log(`${skipped} skipped`);
	// Read by machines: the last line, in this form, and nothing else on it.
	console.log(`${passed} passed, ${failed} failed`);
}

process.exitCode = await main();
