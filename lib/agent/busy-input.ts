/** What becomes of words that the user says while a turn runs. */

/** The turn is ended for them, they wait for its end, or they reach the model in the middle of it. */
export type BusyInputMode = "interrupt" | "queue" | "steer";

/** The words of one running turn. */
export interface BusyInput {
	/** What was done with `text`; undefined when it says nothing. */
	hear(text: string, mode?: BusyInputMode): BusyInputMode | undefined;
	/** What the next turns are about, in the order in which it was said. */
	readonly next: readonly string[];
}

/** What can be done with a running turn. */
export interface BusyTurn {
	/** See `Agent.steer`. */
	steer(text: string): boolean;
	interrupt(): void;
}

/** Words that cannot be given to the turn wait for its end, so that none are lost. */
export function createBusyInput(usual: BusyInputMode, turn: BusyTurn): BusyInput {
	const next: string[] = [];
	return {
		next,
		hear(text, mode = usual) {
			if (text.trim() === "") return undefined;
			if (mode === "steer" && turn.steer(text)) return "steer";
			next.push(text);
			if (mode !== "interrupt") return "queue";
			turn.interrupt();
			return "interrupt";
		},
	};
}
