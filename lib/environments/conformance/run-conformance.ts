/** Runs conformance cases against one place where shells can be opened. */

import type { ExecuteOptions } from "../outcome.ts";
import { execute } from "../shell/execute.ts";
import { runToEnd } from "../shell/run-to-end.ts";
import type { Shell } from "../shell/shell.ts";
import type { Capability, CaseContext, ConformanceCase, SessionOptions } from "./conformance-case.ts";

/** The place under test. */
export interface ConformanceTarget {
	readonly capabilities: ReadonlySet<Capability>;
	readonly signal: AbortSignal;
	openShell(options: SessionOptions): Promise<Shell>;
}

/** What became of one case. */
export interface CaseResult {
	readonly name: string;
	readonly ended: "kept" | "broken" | "skipped";
	/** Why it is broken or was skipped. */
	readonly reason?: string;
	readonly durationMs: number;
}

/** No case needs longer, on the slowest machine; one that hangs must not hang the others. */
const commandLimitSeconds = 60;

const usualPath = "/usr/local/bin:/usr/bin:/bin";

/** Runs `cases` one after the other and tells each result as it comes. */
export async function* runConformance(
	cases: readonly ConformanceCase[],
	target: ConformanceTarget,
): AsyncGenerator<CaseResult> {
	for (const item of cases) {
		const startedAt = performance.now();
		const outcome = await resultOf(item, target);
		yield { name: item.name, ...outcome, durationMs: performance.now() - startedAt };
	}
}

/** Runs one case in a fresh session and an empty folder. Throws what the case throws. */
export async function runCase(item: ConformanceCase, target: ConformanceTarget): Promise<void> {
	await using shell = await target.openShell({});
	const signal = target.signal;
	const run = (command: string, options: Partial<ExecuteOptions> = {}) =>
		execute(shell, command, { signal, timeoutSeconds: commandLimitSeconds, ...options });
	const made = await run('cd -- "$(mktemp -d)"; pwd -P');
	const folder = made.output.trimEnd();
	const context: CaseContext = {
		signal,
		folder,
		run,
		openShell: (options = {}) => target.openShell(options),
		async say(command, options) {
			const { output, exitCode } = await run(command, options);
			return { output, exitCode };
		},
	};
	try {
		await item.run(shell, context);
	} finally {
		await removeFolder(shell, folder);
	}
}

/** The needs of `item` that `target` does not have. */
export function missingNeeds(item: ConformanceCase, target: ConformanceTarget): Capability[] {
	return (item.needs ?? []).filter((need) => !target.capabilities.has(need));
}

async function resultOf(
	item: ConformanceCase,
	target: ConformanceTarget,
): Promise<Omit<CaseResult, "name" | "durationMs">> {
	const missing = missingNeeds(item, target);
	if (missing.length > 0) return { ended: "skipped", reason: `needs ${missing.join(", ")}` };
	try {
		await runCase(item, target);
		return { ended: "kept" };
	} catch (cause) {
		return { ended: "broken", reason: cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause) };
	}
}

async function removeFolder({ sandbox }: Shell, folder: string): Promise<void> {
	// Past the shell: the case may have left it in any state.
	const script = 'chmod -R u+rwx -- "$1"; rm -rf -- "$1"';
	const signal = AbortSignal.timeout(commandLimitSeconds * 1000);
	await runToEnd(sandbox, ["/bin/sh", "-c", script, "sh", folder], { env: { PATH: usualPath }, signal });
}
