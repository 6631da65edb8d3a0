/** Apptainer, or Singularity where it has its old name: finds it and runs its own commands. */

import { BackendUnavailable } from "../backend.ts";
import type { LocalHost } from "../local/local-host.ts";
import { startLocal } from "../local/start-local.ts";

/** The program and how it is run. */
export interface Program {
	/** Absolute. */
	readonly path: string;
	readonly host: LocalHost;
	/** What it sees: the host's own environment. */
	readonly env: Readonly<Record<string, string>>;
}

/** What a command of the program came to. */
export interface ProgramEnd {
	readonly exitCode: number;
	readonly output: string;
	/** The last lines of its complaints. */
	readonly complaint: string;
}

const versionLimitMs = 10_000;

/** Kept of what it says when it fails. */
const complaintCharacters = 600;

/** apptainer, else singularity, in the folders of `path`; undefined when there is neither. */
export function findProgram(path: string): string | undefined {
	return Bun.which("apptainer", { PATH: path }) ?? Bun.which("singularity", { PATH: path }) ?? undefined;
}

/** @throws {BackendUnavailable} When it does not run, or not within ten seconds. */
export async function checkProgram(program: Program, signal: AbortSignal): Promise<void> {
	const limit = AbortSignal.timeout(versionLimitMs);
	const { exitCode, complaint } = await runProgram(program, ["version"], AbortSignal.any([signal, limit])).catch(
		(cause) => {
			signal.throwIfAborted();
			if (!limit.aborted) throw cause;
			return { exitCode: 1, complaint: `it did not answer within ${versionLimitMs / 1000} s` };
		},
	);
	if (exitCode !== 0)
		throw new BackendUnavailable(`Cannot use ${program.path}: ${complaint || `exit code ${exitCode}`}`);
}

/** Runs a command of the program to its end; when `signal` aborts, it is ended with all it started and the reason is thrown. */
export async function runProgram(program: Program, words: readonly string[], signal: AbortSignal): Promise<ProgramEnd> {
	const running = startLocal(program.host, [program.path, "-s", ...words], {
		env: program.env,
		cwd: "/",
		stdin: "none",
		control: true,
		signal,
	});
	let killing: Promise<void> | undefined;
	const end = () => {
		killing = running.kill();
	};
	signal.addEventListener("abort", end, { once: true });
	try {
		const [output, complaint, exitCode] = await Promise.all([
			new Response(running.output).text(),
			new Response(running.control).text(),
			running.exited,
		]);
		await killing;
		signal.throwIfAborted();
		return { exitCode, output, complaint: complaint.trim().slice(-complaintCharacters) };
	} finally {
		signal.removeEventListener("abort", end);
	}
}
