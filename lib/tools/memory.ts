/** The tool that keeps notes over sessions. */

import { z } from "zod";
import type { NotesChange } from "../memory/change-entries.ts";
import type { NotesState } from "../memory/notes.ts";
import { fullness } from "../memory/prompt-block.ts";
import { defineTool, type ToolAnswer, toolError, toolResult } from "../registry/tool.ts";

const args = z.object({
	action: z.enum(["add", "replace", "remove", "list"]).describe("What to do"),
	target: z
		.enum(["memory", "user"])
		.default("memory")
		.describe(
			"memory: your own notes on places, projects and ways of working; user: who the user is and what they prefer",
		),
	content: z
		.string()
		.optional()
		.describe("The note, for add and replace: one fact, short, without the story around it"),
	old_text: z
		.string()
		.optional()
		.describe("A part of the note that is meant, for replace and remove; no other note may have it"),
});

export default defineTool({
	name: "memory",
	toolset: "memory",
	loop: { isHousekeeping: true },
	description: [
		"Keep notes that every later session starts with. Save without being asked when the user corrects you, states a preference or tells something about themselves,",
		"and when you learn a lasting fact of this machine or project. Do not save the progress of a task, what can be looked up again, or what a file says already.",
		"The space is small: replace and merge notes instead of adding similar ones. What you were told at the start of this session does not change with them; answers show them as they are now.",
	].join(" "),
	args,
	scope: "agent",

	approval: ({ action, target, content, old_text }, { agent }) =>
		agent?.asksForNotes !== true || action === "list"
			? undefined
			: { kind: "note", target, text: [action, old_text, content].filter((part) => part !== undefined).join(": ") },

	async run(call, { agent, signal }) {
		const notes = agent?.notes;
		if (notes === undefined) return toolError("Cannot use memory: notes are switched off in this session");
		const { target } = call;
		if (call.action === "list") return noted({ target, state: notes.read(target) });
		const change = changeOf(call);
		if (typeof change === "string") return toolError(change);
		const changed = await notes.change(target, change, signal);
		if (changed.ok) return noted({ target, state: changed.state, message: changed.message });
		return toolError(changed.error, { success: false, ...shown(changed.state) });
	},
});

function changeOf({ action, content, old_text: oldText }: z.output<typeof args>): NotesChange | string {
	if (action === "add") return content === undefined ? "Cannot add a note: content is missing" : { action, content };
	if (oldText === undefined) return `Cannot ${action} a note: old_text is missing`;
	if (action === "remove") return { action, oldText };
	return content === undefined
		? "Cannot replace a note: content is missing (remove deletes one)"
		: { action: "replace", oldText, content };
}

function noted({
	target,
	state,
	message,
}: {
	readonly target: string;
	readonly state: NotesState;
	readonly message?: string;
}): ToolAnswer {
	return toolResult({ success: true, target, ...shown(state), message });
}

function shown(state: NotesState) {
	return { entries: state.entries, usage: fullness(state), entry_count: state.entries.length };
}
