/** Command lines on a machine with a policy, or with backends of a test, inside this process. */

import { runCommandLine } from "../../lib/cli/command-line/run-command-line.ts";
import type { Cli } from "../../lib/cli/subcommand.ts";
import type { PolicySource } from "../../lib/config/policy.ts";
import type { Backend } from "../../lib/environments/backend.ts";
import { cliInProcess } from "./command-line.ts";
import type { Ran } from "./run-program.ts";

/** The machine and its user. */
export interface Scene {
	/** The user's home. */
	readonly home: string;
	/** Variables besides HOME and PATH. */
	readonly variables?: Readonly<Record<string, string>>;
	readonly policy?: PolicySource;
	/** Backends besides those of the project. */
	readonly backends?: readonly Backend[];
}

/** What hermes would do there with `args`. */
export async function runInScene(args: readonly string[], scene: Scene): Promise<Ran> {
	const { cli, stdout, stderr } = composeScene(scene);
	const exitCode = await runCommandLine(args, cli);
	return { stdout: stdout(), stderr: stderr(), exitCode };
}

/** The process as subcommands see it, and what it has printed. */
export function composeScene({ home, variables, policy, backends = [] }: Scene) {
	const { cli, stdout, stderr } = cliInProcess(home, variables);
	const own = backends.map((backend) => [backend.name, async () => ({ default: backend })] as const);
	const plugins = { ...cli.plugins, backends: { ...cli.plugins.backends, ...Object.fromEntries(own) } };
	const composed: Cli = { ...cli, plugins, ...(policy !== undefined && { policy }) };
	return { cli: composed, stdout: stdout.text, stderr: stderr.text };
}
