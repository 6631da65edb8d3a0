/** A turn of a chat, and what becomes of what is typed while it runs. */

import { type BusyInputMode, createBusyInput } from "../../agent/busy-input.ts";
import { firstAborted } from "../../base/abort.ts";
import type { RunningTurn } from "../../commands/command.ts";
import type { Conversation } from "../runtime/open-conversation.ts";
import type { Cli } from "../subcommand.ts";

/** Where a turn runs. */
export interface TurnScene {
	readonly conversation: Pick<Conversation, "runTurn" | "steer">;
	readonly cli: Pick<Cli, "interruption">;
	/** What becomes of words that do not say it themselves. */
	readonly busyInput: BusyInputMode;
	/** Whether words show an image: a turn that runs cannot be given one, so they wait for its end. */
	showsImage?(text: string): boolean;
	/** Gives `turn` what is typed from now on, until it is disposed of. */
	listen(turn: BusyTurn): Disposable;
}

/** A turn that runs, for what is typed meanwhile. */
export interface BusyTurn extends RunningTurn {
	/** Does with `text` what the settings say; undefined when it says nothing. */
	hear(text: string): BusyInputMode | undefined;
}

/** Runs the turn about `text`, and then those about what was typed meanwhile. */
export async function runTurns(text: string, scene: TurnScene): Promise<void> {
	const { signal } = scene.cli.interruption;
	const texts = [text];
	for (let next = texts.shift(); next !== undefined && !signal.aborted; next = texts.shift()) {
		texts.unshift(...(await runTurn(next, scene)));
	}
}

async function runTurn(text: string, scene: TurnScene): Promise<readonly string[]> {
	const { conversation, cli, busyInput } = scene;
	using turn = cli.interruption.openTurn();
	const stop = new AbortController();
	const interrupt = (why: string) => stop.abort(new Error(`Cannot go on: ${why}`));
	const busy = createBusyInput(busyInput, {
		steer: (words) => conversation.steer(words),
		interrupt: () => interrupt("the user said something else"),
	});
	const hear = (words: string, mode: BusyInputMode) =>
		busy.hear(words, mode === "steer" && scene.showsImage?.(words) ? "queue" : mode);
	using _ = scene.listen({
		hear: (words) => hear(words, busyInput),
		queue: (words) => void hear(words, "queue"),
		steer: (words) => hear(words, "steer") === "steer",
		stop: () => interrupt("the user stopped it"),
	});
	using run = firstAborted([turn.signal, stop.signal]);
	const { pending_steer } = await conversation.runTurn(text, run.signal);
	return pending_steer === undefined ? busy.next : [pending_steer, ...busy.next];
}
