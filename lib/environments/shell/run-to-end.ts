/** Runs one short program of our own in a sandbox and collects what it says. */

import type { Sandbox } from "../backend.ts";

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
	const running = await sandbox.start(argv, { env, cwd: "/", stdin: stdin ?? "none", signal });
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
