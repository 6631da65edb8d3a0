/** What is done beside a conversation after its turns: a title for the session, and a look back for notes. */

import type { AgentOptions, RunTool } from "../../agent/agent.ts";
import type { AgentEvent, TurnFinished } from "../../agent/events.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { Logger } from "../../log/logger.ts";
import type { Store } from "../../store/store.ts";
import type { AuxiliaryModel } from "./auxiliary-model.ts";
import { reviewNotes } from "./notes-review.ts";
import { generateTitle } from "./session-title.ts";
import { type Charge, charged } from "./side-calls.ts";
import { openSideWork } from "./side-work.ts";

/** A turn that has ended, and how the model can be asked about it. */
export interface EndedTurn {
	readonly text: string;
	readonly finished: TurnFinished;
	/** The conversation as it stands. */
	readonly agent: AgentOptions;
	/** Runs a call of the review: like any other, but nobody is asked for consent. */
	readonly runTool: RunTool;
	/** Told of the calls of models that are made for it. */
	readonly charge: Charge;
}

/** Disposing it waits for a moment at most. */
export interface AfterTurn extends AsyncDisposable {
	/** The notes were changed or read by the conversation itself. */
	notesUsed(): void;
	turnEnded(turn: EndedTurn): void;
}

/** What it works with. */
export interface AfterTurnOptions {
	readonly config: LoadedConfig;
	readonly store: Store;
	readonly log: Logger;
	/** There are notes to review. */
	readonly hasNotes: boolean;
	/** Opens the model of a side task, which is `main` where the settings name no other. */
	open(task: string, main: AgentOptions): Promise<AuxiliaryModel>;
	emit(event: AgentEvent): void;
}

const titleTask = "title_generation";
const reviewTask = "notes_review";

/** Nothing is done before the first turn has ended. */
export function openAfterTurn({ config, store, log, hasNotes, emit, open }: AfterTurnOptions): AfterTurn {
	const failed = (reason: string) => log.warning(`beside the conversation: ${reason}`);
	const work = openSideWork(failed);
	const named = new Set<string>();
	const interval = hasNotes ? config.get("memory.nudge_interval") : 0;
	let turnsWithoutNotes = 0;
	let isReviewing = false;

	const nameSession = ({ text, finished, agent, charge }: EndedTurn) => {
		const { sessionId } = agent;
		if (named.has(sessionId) || config.find(`auxiliary.${titleTask}.enabled`)?.value === false) return;
		named.add(sessionId);
		if (store.getSession(sessionId)?.title !== null) return;
		work.start(async (signal) => {
			const limit = AbortSignal.timeout(config.get(`auxiliary.${titleTask}.timeout`) * 1000);
			const opened = await open(titleTask, agent);
			const { model } = opened;
			const client = charged(opened, titleTask, charge);
			const asked = { client, model, question: text, answer: finished.text };
			const title = await generateTitle(asked, AbortSignal.any([signal, limit]));
			// The user may have named it meanwhile.
			if (title === undefined || store.getSession(sessionId)?.title !== null) return;
			store.setTitle(sessionId, store.nextTitle(title));
		});
	};

	const review = ({ agent, runTool }: EndedTurn) => {
		if (interval === 0 || turnsWithoutNotes < interval || isReviewing) return;
		turnsWithoutNotes = 0;
		isReviewing = true;
		work.start(async (signal) => {
			try {
				const message = await reviewNotes({ ...agent, store: chargedTo(reviewTask, store) }, runTool, signal);
				if (message !== undefined) emit({ type: "warning", message });
			} finally {
				isReviewing = false;
			}
		});
	};

	return {
		notesUsed() {
			turnsWithoutNotes = 0;
		},
		turnEnded(turn) {
			turnsWithoutNotes++;
			if (turn.finished.ended !== "answered") return;
			nameSession(turn);
			review(turn);
		},
		[Symbol.asyncDispose]: () => work[Symbol.asyncDispose](),
	};
}

/** Nothing that is said is kept, what it costs is. */
function chargedTo(task: string, store: Store): NonNullable<AgentOptions["store"]> {
	return {
		appendMessage: () => 0,
		addUsage: (sessionId, usage, call) => store.addUsage(sessionId, usage, { ...call, task }),
	};
}
