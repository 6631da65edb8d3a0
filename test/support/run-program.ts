/** Runs a program to its end and gives back everything it said. */

/** What a program did. */
export interface Ran {
	readonly stdout: string;
	readonly stderr: string;
	readonly exitCode: number;
}

/** Runs `argv` with exactly `env` as its environment (PATH and a temporary HOME are up to the caller) and closed stdin. */
export async function runProgram(
	argv: readonly string[],
	options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<Ran> {
	const child = Bun.spawn([...argv], { ...options, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
	const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
	return { stdout, stderr, exitCode: await child.exited };
}
