/** A turn of the line chat, and what becomes of lines that are typed while it runs. */

import { type BusyInputMode, createBusyInput } from "../../agent/busy-input.ts";
import { firstAborted } from "../../base/abort.ts";
import type { Conversation } from "../runtime/open-conversation.ts";
import type { TerminalLines } from "../runtime/terminal-lines.ts";
import type { Cli } from "../subcommand.ts";

/** Where a turn runs. */
export interface TurnScene {
	readonly conversation: Pick<Conversation, "runTurn" | "steer">;
	readonly terminal: TerminalLines;
	readonly cli: Pick<Cli, "interruption" | "stderr">;
	/** What becomes of lines that do not say it themselves. */
	readonly busyInput: BusyInputMode;
}

/** Lines that say it themselves, whatever the setting. */
const ways: Readonly<Record<string, BusyInputMode>> = { "/queue": "queue", "/steer": "steer" };

const said: Readonly<Record<BusyInputMode, string>> = {
	interrupt: "stopping for that",
	queue: "that comes next",
	steer: "the model is told with the next tool result",
};

/** Runs the turn about `text`, and then those about what was typed meanwhile. */
export async function runTurns(text: string, scene: TurnScene): Promise<void> {
	const { signal } = scene.cli.interruption;
	const texts = [text];
	for (let next = texts.shift(); next !== undefined && !signal.aborted; next = texts.shift()) {
		texts.unshift(...(await runTurn(next, scene)));
	}
}

async function runTurn(
	text: string,
	{ conversation, terminal, cli, busyInput }: TurnScene,
): Promise<readonly string[]> {
	using turn = cli.interruption.openTurn();
	const stop = new AbortController();
	const busy = createBusyInput(busyInput, {
		steer: (words) => conversation.steer(words),
		interrupt: () => stop.abort(new Error("Cannot go on: the user said something else")),
	});
	using _ = terminal.listen((line) => {
		const [name = "", ...words] = line.trim().split(/\s+/);
		const way = Object.hasOwn(ways, name) ? ways[name] : undefined;
		// Other commands wait for the end of the turn.
		if (way === undefined && /^\/[\w-]+(?:\s|$)/.test(line.trim())) return false;
		const done = way === undefined ? busy.hear(line) : busy.hear(words.join(" "), way);
		if (done !== undefined) cli.stderr.write(`hermes: ${said[done]}\n`);
		return true;
	});
	using run = firstAborted([turn.signal, stop.signal]);
	const { pending_steer } = await conversation.runTurn(text, run.signal);
	return pending_steer === undefined ? busy.next : [pending_steer, ...busy.next];
}
