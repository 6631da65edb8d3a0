/** The process as subcommands see it: its streams, its signals, and what `main.ts` composed. */

import { isatty } from "node:tty";
import { exitCodes } from "./exit-codes.ts";
import { readLines } from "./input.ts";
import { listenForInterruption } from "./interruption.ts";
import { type Output, openOutput } from "./output.ts";
import type { Cli } from "./subcommand.ts";

/** Opens the process for one command line. */
export function openCli(composed: Pick<Cli, "early" | "environment" | "plugins" | "version">): Cli {
	const interruption = listenForInterruption();
	const { early } = composed;
	const ending = (output: Output) => early?.endedBy(output) ?? output;
	return {
		...composed,
		interruption,
		stdout: ending(openOutput(1, () => interruption.stop(exitCodes.outputClosed))),
		stderr: ending(openOutput(2)),
		stdinIsTerminal: isatty(0),
		readStdin: () => Bun.stdin.text(),
		stdin: () => Bun.stdin.stream(),
		stdinLines: () => readLines(Bun.stdin.stream()),
	};
}
