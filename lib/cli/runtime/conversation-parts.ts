/** What every session of one conversation shares. */

import type { Delegations } from "../../agent/delegate/delegations.ts";
import type { Logger } from "../../log/logger.ts";
import type { ResultBudget } from "../../registry/results/result-budget.ts";
import type { Store } from "../../store/store.ts";
import type { AfterTurn } from "./after-turn.ts";
import type { ApproverParts } from "./approver-parts.ts";
import type { AuditedRun } from "./audited-calls.ts";
import type { ConsentSwitch } from "./consent-switch.ts";
import type { Place } from "./open-place.ts";
import type { OpenedProvider } from "./open-provider.ts";
import type { Toolbox } from "./open-tools.ts";
import type { PastSession } from "./past-session.ts";
import type { SessionMemory } from "./session-memory.ts";
import type { SessionNotes } from "./session-notes.ts";
import type { SessionPrompt } from "./session-prompt.ts";
import type { ToolList } from "./tool-list.ts";

/** Opened once, in the order in which it can fail. */
export interface ConversationParts {
	readonly provider: OpenedProvider;
	readonly toolbox: Toolbox;
	readonly list: ToolList;
	readonly budget: ResultBudget;
	readonly place: Place;
	readonly store: Store | undefined;
	readonly log: Logger;
	readonly audited: AuditedRun | undefined;
	readonly notes: SessionNotes | undefined;
	readonly prompt: SessionPrompt;
	readonly approver: ApproverParts;
	/** Whether calls run unasked. */
	readonly consent: ConsentSwitch;
	/** What the session goes on from. */
	readonly past: PastSession | undefined;
	/** What is done beside the conversation, where somebody holds one. */
	readonly after: AfterTurn | undefined;
	/** Sub-agents; a child has those of its conversation. */
	readonly delegations: Delegations | undefined;
	/** A memory service besides the notes. */
	readonly memory: SessionMemory | undefined;
}

/** The one task of a command line; parts that run several name their own. */
export const taskId = "default";
