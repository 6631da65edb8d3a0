/** What a backend is told of this machine and its user when it opens. */

import { ensureHermesHome } from "../../config/home.ts";
import type { Backend, OpenContext } from "../../environments/backend.ts";
import type { Cli } from "../subcommand.ts";
import { visible } from "./paint.ts";
import type { TerminalLines } from "./terminal-lines.ts";

/**
 * The context of `backend` without what differs from one opening to the next.
 * @throws {HermesHomeUnusable} When a backend that keeps records needs a folder for them that cannot be had.
 */
export function openContext(
	cli: Cli,
	backend: Backend,
	keyboard: TerminalLines,
): Omit<OpenContext, "signal" | "taskId"> {
	const { hermesHome: home, variables } = cli.environment;
	// Keys of hosts, locks; commands of this machine need none, also where there is no home to write to.
	if (backend.files !== "host") ensureHermesHome(home);
	return {
		home,
		hostEnvironment: variables,
		onProgress: (line) => cli.stderr.write(`${line}\n`),
		...askUserAt(cli, keyboard),
	};
}

/** Nothing where nobody could read the question and answer it. */
function askUserAt(cli: Cli, keyboard: TerminalLines): Pick<OpenContext, "askUser"> {
	if (!cli.stdinIsTerminal || !cli.stderr.isTerminal) return {};
	const { signal } = cli.interruption;
	return {
		askUser({ text, isSecret, signal: asked }) {
			// What a server asks is a stranger's text.
			const prompt = `${visible(text).trimEnd()} `;
			const either = asked === undefined ? signal : AbortSignal.any([signal, asked]);
			return isSecret ? keyboard.askSecret(prompt, either) : keyboard.ask(prompt, { signal: either, fresh: true });
		},
	};
}
