/** What a tool of scope `agent` works on: state of the conversation itself, which only the loop has. */

import type { Notes } from "../memory/notes.ts";

/** Parts that a session goes without are left out; the tools that need them are then not available. */
export interface AgentState {
	/** The notes that last over sessions. */
	readonly notes?: Notes;
	/** A change of the notes needs the user's consent. */
	readonly asksForNotes?: boolean;
}
