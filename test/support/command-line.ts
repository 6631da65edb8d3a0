/** Runs a command line inside this process, for what needs no process of its own. */

import { subcommands } from "../../lib/cli/all.ts";
import { runCommandLine } from "../../lib/cli/command-line/run-command-line.ts";
import type { Output } from "../../lib/cli/output.ts";
import type { Cli } from "../../lib/cli/subcommand.ts";
import { commands } from "../../lib/commands/all.ts";
import { environmentOf } from "../../lib/config/environment.ts";
import { backends } from "../../lib/environments/all.ts";
import { providers } from "../../lib/providers/all.ts";
import { tools } from "../../lib/tools/all.ts";
import type { Ran } from "./run-program.ts";

/** What hermes would do with `args`, without a terminal and with `home` as the user's home. */
export async function runInProcess(
	args: readonly string[],
	home: string,
	variables: Readonly<Record<string, string>> = {},
): Promise<Ran> {
	const { cli, stdout, stderr } = cliInProcess(home, variables);
	const exitCode = await runCommandLine(args, cli);
	return { stdout: stdout.text(), stderr: stderr.text(), exitCode };
}

/** The process as a subcommand sees it, with what it prints. */
export function cliInProcess(home: string, variables: Readonly<Record<string, string>> = {}) {
	const [stdout, stderr] = [collector(), collector()];
	const { signal } = new AbortController();
	const cli: Cli = {
		version: "1.2.3",
		plugins: { tools, backends, providers, subcommands, commands },
		environment: environmentOf({ HOME: home, PATH: process.env.PATH ?? "", ...variables }),
		stdout,
		stderr,
		stdinIsTerminal: false,
		readStdin: async () => "",
		stdin: () => new ReadableStream({ start: (controller) => controller.close() }),
		stdinLines: async function* () {},
		interruption: {
			signal,
			exitCode: () => undefined,
			stop() {},
			openTurn: () => ({ signal, [Symbol.dispose]() {} }),
		},
	};
	return { cli, stdout, stderr };
}

function collector(): Output & { text(): string } {
	const parts: string[] = [];
	return { isTerminal: false, write: (text) => void parts.push(text), text: () => parts.join("") };
}
