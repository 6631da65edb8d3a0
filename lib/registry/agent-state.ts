/** What a tool of scope `agent` works on: state of the conversation itself, which only the loop has. */

import type { Notes } from "../memory/notes.ts";
import type { SessionArchive } from "../store/search/archive.ts";
import type { Delegation } from "./delegation.ts";

/** Parts that a session goes without are left out; a tool that needs one answers so. */
export interface AgentState {
	/** The notes that last over sessions. */
	readonly notes?: Notes;
	/** A change of the notes needs the user's consent. */
	readonly asksForNotes?: boolean;
	/** The plan of the task. */
	readonly plan?: Plan;
	/** What was said in other sessions. */
	readonly pastSessions?: PastSessions;
	/** Asks the person who gave the task. Absent where nobody is there. */
	readonly ask?: AskUser;
	/** Hands out tasks. Absent for agents that may not. */
	readonly delegation?: Delegation;
}

/** The sessions of the past, as one session reaches them. */
export interface PastSessions {
	/** The session that asks: its own conversation is not the past. */
	readonly sessionId: string;
	readonly archive: Omit<SessionArchive, keyof Disposable>;
	/** Names of other profiles that have sessions. */
	profiles(): readonly string[];
	/** Opens the sessions of another profile for reading. @throws {StoreRefused} When there are none, or they cannot be read. */
	openProfile(name: string): SessionArchive;
}

/** One step of a plan. */
export interface PlanStep {
	readonly id: string;
	readonly content: string;
	readonly status: "pending" | "in_progress" | "completed" | "cancelled";
}

/** The plan of one session, in the order in which it is to be done. */
export interface Plan {
	steps: readonly PlanStep[];
}

/** What the user is asked. Nobody answers after `signal` aborts. */
export interface UserChoice {
	readonly question: string;
	/** Answers to pick from; the user may always give another. */
	readonly choices: readonly string[];
	readonly signal: AbortSignal;
}

/** The answer as the user gave it; undefined when they gave none. */
export type AskUser = (choice: UserChoice) => Promise<string | undefined>;
