/** The contract of a memory service besides the notes: what it is asked before a turn, and told afterwards. */

/** Another memory. What it throws costs the conversation nothing. */
export interface MemoryProvider {
	/** What it knows about `query`, as text for the model; empty when nothing. */
	prefetch(query: string, sessionId: string): Promise<string>;
	/** A turn that was answered. Interrupted and failed turns are not told. */
	syncTurn(turn: RememberedTurn): Promise<void>;
	/** A note that was really changed. */
	onMemoryWrite(write: MemoryWrite): Promise<void>;
}

/** What was said in one turn. */
export interface RememberedTurn {
	readonly sessionId: string;
	readonly user: string;
	readonly assistant: string;
}

/** One change of the notes, as the tool was asked for it. */
export interface MemoryWrite {
	readonly sessionId: string;
	readonly action: string;
	readonly target: string;
	readonly content?: string | undefined;
	readonly oldText?: string | undefined;
}
