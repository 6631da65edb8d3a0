/** The notes that a conversation starts with and writes to, as the settings want them. */

import { join } from "node:path";
import type { LoadedConfig } from "../../config/load.ts";
import { type NotesTarget, openNotes } from "../../memory/notes.ts";
import { notesBlock } from "../../memory/prompt-block.ts";
import type { AgentState } from "../../registry/agent-state.ts";

/** Notes of one conversation. */
export interface SessionNotes {
	/** What the tool works on. */
	readonly state: AgentState;
	/** What the next session is told at its start; empty when nothing was noted. */
	block(): string;
}

/** Undefined when the settings switch off both kinds of notes: then there is no tool for them either. */
export function sessionNotes(hermesHome: string, config: LoadedConfig): SessionNotes | undefined {
	const targets: NotesTarget[] = [];
	if (config.get("memory.memory_enabled")) targets.push("memory");
	if (config.get("memory.user_profile_enabled")) targets.push("user");
	if (targets.length === 0) return undefined;
	const notes = openNotes({
		folder: join(hermesHome, "memories"),
		limits: { memory: config.get("memory.memory_char_limit"), user: config.get("memory.user_char_limit") },
	});
	return {
		state: { notes, asksForNotes: config.get("memory.write_approval") },
		block: () => notesBlock(notes, targets),
	};
}
