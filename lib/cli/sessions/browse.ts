/** `hermes sessions browse`: picks a session at the terminal and goes on with it. */

import { type ListedSession, listedSession } from "../../commands/listed-session.ts";
import { archiveOf } from "../../store/search/archive.ts";
import type { Store } from "../../store/store.ts";
import { chatFlags } from "../conversation/flags.ts";
import { CommandFailed, exitCodes } from "../exit-codes.ts";
import { openTerminalLines } from "../runtime/terminal-lines.ts";
import { type Cli, defineAction } from "../subcommand.ts";
import { openSessions } from "./open-sessions.ts";
import { sessionLine } from "./shown.ts";

const pageSize = 15;

/** Shows the latest sessions, then those that a search finds, until one is chosen. */
export const browse = defineAction({
	summary: "Pick a session and go on with it",
	details: "A number picks, words search in all that was said, an empty line leaves.",
	flags: chatFlags,

	async run({ flags }, cli) {
		if (!cli.stdinIsTerminal)
			throw new CommandFailed("Cannot browse sessions: standard input is not a terminal; see hermes sessions list");
		const picked = await pick(cli);
		if (picked === undefined) return cli.interruption.exitCode() ?? exitCodes.ok;
		const { runChat } = await import("../conversation/run-chat.ts");
		return runChat({ ...flags, resume: picked }, cli);
	},
});

async function pick(cli: Cli): Promise<string | undefined> {
	using store = openSessions(cli);
	using terminal = openTerminalLines();
	let offered = latest(store);
	for (;;) {
		for (const [index, session] of offered.entries())
			cli.stderr.write(`${String(index + 1).padStart(3)}  ${sessionLine(session)}`);
		const line = (await terminal.ask("number, words or nothing> ", { signal: cli.interruption.signal }))?.trim();
		if (line === undefined || line === "") return undefined;
		const chosen = /^\d+$/.test(line) ? offered[Number(line) - 1] : undefined;
		if (chosen !== undefined) return chosen.session.id;
		const found = matching(store, line);
		if (found.length === 0) cli.stderr.write("Nothing was found\n");
		else offered = found;
	}
}

function latest(store: Store): readonly ListedSession[] {
	const sessions = archiveOf((work) => store.read(work)).browse({ limit: pageSize });
	return listed(
		store,
		sessions.map(({ id }) => id),
	);
}

function matching(store: Store, query: string): readonly ListedSession[] {
	const { hits } = archiveOf((work) => store.read(work)).search({ query, limit: pageSize });
	return listed(
		store,
		hits.map(({ sessionId }) => sessionId),
	);
}

function listed(store: Store, ids: readonly string[]): readonly ListedSession[] {
	return ids.flatMap((id) => {
		const session = store.getSession(id);
		return session === undefined ? [] : [listedSession(store, session)];
	});
}
