/** What commands ask of the conversation that they are typed in. */

import type { TokenUsage } from "../base/conversation.ts";
import type { ReasoningEffort } from "../providers/provider.ts";
import type { Store } from "../store/store.ts";
import { CommandRefused } from "./command.ts";

/** The conversation, as far as commands need it; the surface has the whole. */
export interface CommandConversation {
	readonly sessionId: string;
	readonly model: string;
	readonly provider: { readonly id: string; readonly baseUrl?: string | undefined };
	/** What the session has used so far. */
	readonly used: { readonly modelCalls: number; readonly tokens: TokenUsage };
	/** Where calls run, and the folder they are in now. */
	readonly place: { readonly backend: string; readonly ranOn: string; readonly cwd: string };
	/** Where sessions are kept; missing when this conversation is not. */
	readonly store: Store | undefined;
	/** Asks `model` from the next turn on; what was said stays. */
	useModel(model: string): void;
	/**
	 * Asks another provider from the next turn on, as it is configured; what was said stays. `model` is its usual one when left
	 * out.
	 * @throws {CommandRefused} When it cannot be used; the one that answers stays.
	 */
	useProvider(named: string, model: string | undefined): Promise<void>;
	/** How much the model thinks; empty is its own habit. */
	readonly effort: ReasoningEffort | "";
	/** Has the model think so much from the next turn on. */
	useEffort(effort: ReasoningEffort): void;
	/** Who speaks in sessions that begin from now on. */
	readonly personality: {
		/** What each adds to the prompt, by name. */
		readonly all: ReadonlyMap<string, string>;
		/** Empty for none. */
		readonly chosen: string;
		choose(name: string): void;
	};
	/** Faster answers of the same model for more money. */
	readonly speed: {
		readonly isFast: boolean;
		/** Why the provider that answers now has none; undefined when it has. */
		readonly refusal: string | undefined;
		/** From the next call of the model on. */
		set(isFast: boolean): void;
	};
	/** Whether calls run without a question. */
	readonly consent: {
		readonly isUnasked: boolean;
		/** Why the machine's policy forbids that; undefined when it does not. */
		readonly refusal: string | undefined;
		/** From the next call on, for this run of hermes. @throws {Error} When the policy forbids it. */
		set(isUnasked: boolean): void;
	};
	/**
	 * Hands `goal` to a sub-agent that works beside the conversation, and gives its id; what it reports comes as a turn.
	 * @throws {CommandRefused} When it cannot be handed out now.
	 */
	handOut(goal: string): Promise<string>;
	/** Ends the session and begins another in the same place. */
	startNew(): void;
	/** Goes on with another session, by id, beginning of an id, or title. @throws {CommandRefused} When there is no such session. */
	resume(named: string): void;
	/** Goes on with this session as the store has it now. */
	reload(): void;
	/** Shortens the session; `focus` is what must be kept above all. False when there is nothing to shorten. */
	compress(focus: string | undefined, signal: AbortSignal): Promise<boolean>;
	/**
	 * What `hermes WORDS` prints, run in this process, in the same profile and with nobody to ask: what is known at the command
	 * line need not be known twice.
	 */
	program(words: readonly string[]): Promise<ProgramAnswer>;
}

/** What a subcommand printed. */
export interface ProgramAnswer {
	/** Standard output, or the error when there was one; without the last line end. */
	readonly text: string;
	readonly ok: boolean;
}

/** @throws {CommandRefused} When the conversation is not kept. */
export function keptStore({ store }: CommandConversation): Store {
	if (store === undefined) throw new CommandRefused("Cannot use sessions: this conversation is not kept");
	return store;
}
