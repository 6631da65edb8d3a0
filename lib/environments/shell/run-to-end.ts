/** Runs one short program of our own in a sandbox and collects what it says. */

import type { Running, Sandbox } from "../backend.ts";

/** What such a program needs. */
export interface RunOptions {
	readonly env?: Readonly<Record<string, string>>;
	readonly stdin?: Uint8Array;
	readonly signal: AbortSignal;
}

/** Exit code and output; when `signal` aborts, the program is killed and the signal's reason is thrown. */
export async function runToEnd(
	sandbox: Sandbox,
	argv: readonly string[],
	{ env = {}, stdin, signal }: RunOptions,
): Promise<{ readonly exitCode: number; readonly output: Buffer }> {
	return toEnd(await sandbox.start(argv, { env, cwd: "/", stdin: stdin ?? "none", signal }), signal);
}

/** The same for a program that runs already. */
export async function toEnd(
	running: Pick<Running, "output" | "exited" | "kill">,
	signal: AbortSignal,
): Promise<{ readonly exitCode: number; readonly output: Buffer }> {
	const end = () => void running.kill().catch(() => undefined);
	signal.addEventListener("abort", end, { once: true });
	if (signal.aborted) end();
	try {
		const [output, exitCode] = await Promise.all([new Response(running.output).arrayBuffer(), running.exited]);
		signal.throwIfAborted();
		return { exitCode, output: Buffer.from(output) };
	} finally {
		signal.removeEventListener("abort", end);
	}
}
