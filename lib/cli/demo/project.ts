/** The demonstration's project: a small program with a bug, and a test that finds it, in a temporary folder. */

import { quoteWord } from "../../base/shell-quoting.ts";
import type { Outcome } from "../../environments/outcome.ts";
import type { PooledShell } from "../../environments/pool/task-shell.ts";
import { CommandFailed } from "../exit-codes.ts";
import duration from "./project/duration.sh" with { type: "text" };
import test from "./project/test.sh" with { type: "text" };

/** File name to text. POSIX sh only: a slim machine has nothing else. */
const files: Readonly<Record<string, string>> = { "duration.sh": duration, "test.sh": test };

/** Removing a small folder takes milliseconds; a sandbox that hangs must not keep the user waiting. */
const removeLimitMs = 10_000;

/** The project, laid out where the backend runs. Disposing it removes the folder. */
export interface DemoProject extends AsyncDisposable {
	/** Absolute, as the backend sees it; also the folder the shell is in. */
	readonly folder: string;
	/** Runs the project's own test. */
	test(signal: AbortSignal, onOutput: (text: string) => void): Promise<Outcome>;
}

/**
 * Makes the folder, writes the files through the shell, and moves the shell there.
 * @throws {CommandFailed} When the backend has no folder to write to.
 */
export async function layOutProject(
	shell: PooledShell,
	options: { signal: AbortSignal; keep: boolean },
): Promise<DemoProject> {
	const { signal, keep } = options;
	const folder = (await run(shell, "mktemp -d -t hermes-demo.XXXXXX", { signal })).trim();
	await using undo = new AsyncDisposableStack();
	undo.defer(() => remove(shell, folder, keep));
	await run(shell, `cd ${quoteWord(folder)}`, { signal });
	for (const [name, stdin] of Object.entries(files)) await run(shell, `cat >${quoteWord(name)}`, { signal, stdin });
	const kept = undo.move();
	return {
		folder,
		test: (signal, onOutput) => shell.execute(`sh ${quoteWord(`${folder}/test.sh`)}`, { signal, onOutput }),
		[Symbol.asyncDispose]: () => kept.disposeAsync(),
	};
}

async function run(
	shell: PooledShell,
	command: string,
	options: { signal: AbortSignal; stdin?: string },
): Promise<string> {
	const { output, exitCode } = await shell.execute(command, options);
	if (exitCode === 0) return output;
	throw new CommandFailed(
		`Cannot lay out the demonstration on ${shell.ranOn}: ${output.trim() || `exit code ${exitCode}`}`,
	);
}

async function remove(shell: PooledShell, folder: string, keep: boolean): Promise<void> {
	if (keep) return;
	// Not the caller's signal: an interrupted demonstration cleans up too.
	await shell.execute(`cd / && rm -rf -- ${quoteWord(folder)}`, { signal: AbortSignal.timeout(removeLimitMs) });
}
