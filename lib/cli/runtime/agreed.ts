/** Asks the user before something is removed for good. */

import { CommandFailed } from "../exit-codes.ts";
import type { Cli } from "../subcommand.ts";
import { openTerminalLines } from "./terminal-lines.ts";

/**
 * Whether the user agrees to what cannot be undone.
 * @throws {CommandFailed} When nobody can be asked and `--yes` was not said.
 */
export async function isAgreed(
	cli: Cli,
	question: string,
	flags: { readonly yes: boolean; readonly verb?: string },
): Promise<boolean> {
	if (flags.yes) return true;
	if (!cli.stdinIsTerminal) throw new CommandFailed(`Cannot ${flags.verb ?? "delete"} without asking: say --yes`);
	using terminal = openTerminalLines();
	const answer = await terminal.ask(`${question} [y/N] `, { signal: cli.interruption.signal, fresh: true });
	return /^y(es)?$/i.test(answer?.trim() ?? "");
}
