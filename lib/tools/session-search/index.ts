/** The tool that looks things up in earlier sessions. */

import { z } from "zod";
import { defineTool, toolError } from "../../registry/tool.ts";
import { browse, discover, inArchiveOf, read, scroll } from "./answers.ts";

const mostResults = 10;
const usualResults = 3;
const widestWindow = 20;
const usualWindow = 5;
const usualRoles = ["user", "assistant"] as const;
const roles: readonly string[] = ["user", "assistant", "tool", "system"];

const args = z.object({
	query: z
		.string()
		.optional()
		.describe('Words that must be there; OR, NOT, brackets, "exact phrase" and prefix* may be used'),
	limit: z
		.number()
		.int()
		.optional()
		.describe(`Conversations to show, ${usualResults} unless said otherwise, at most ${mostResults}`),
	sort: z.enum(["newest", "oldest"]).optional().describe("Order by time instead of by how well they match"),
	role_filter: z
		.string()
		.optional()
		.describe("Whose messages count, split by commas: user, assistant, tool. user,assistant unless said otherwise"),
	session_id: z.string().optional().describe("Read this session; @session:PROFILE/ID is one of another profile"),
	around_message_id: z.number().int().optional().describe("With session_id: the messages around this one"),
	window: z
		.number()
		.int()
		.optional()
		.describe(
			`With around_message_id: messages on each side, ${usualWindow} unless said otherwise, at most ${widestWindow}`,
		),
	profile: z.string().optional().describe("The profile that the session belongs to, when it is not this one"),
});

export default defineTool({
	name: "session_search",
	toolset: "session_search",
	description: [
		"Look up what was said and done in earlier sessions. With query: the best messages of past conversations, what was said around them, and how each conversation began and ended.",
		"With session_id: a whole session, its beginning and end. With session_id and around_message_id: what was said around that message; messages_before and messages_after count what lies on both sides.",
		"Without arguments: the latest sessions. Use it when the user speaks of earlier work, before you ask them to repeat it. This conversation is never among the results.",
	].join(" "),
	args,
	scope: "agent",
	readOnly: true,

	async run(call, { agent }) {
		const past = agent?.pastSessions;
		if (past === undefined)
			return toolError("Cannot search sessions: this session is not kept, so there are none to search");
		const target = targetOf(call);
		if (target !== undefined) {
			return inArchiveOf(past, target, (archive) => {
				const { around_message_id: anchor, window = usualWindow } = call;
				if (anchor === undefined) return read(past, archive, target.sessionId);
				return scroll(past, archive, { sessionId: target.sessionId, anchor, size: within(window, widestWindow) });
			});
		}
		const query = call.query?.trim() ?? "";
		if (query === "") return browse(past);
		return discover(past, {
			query,
			limit: within(call.limit ?? usualResults, mostResults),
			sort: call.sort,
			roles: rolesOf(call.role_filter),
		});
	},
});

/** `@session:work/20260701_120000_abcdef` names the profile too. */
function targetOf({ session_id: id, profile }: z.output<typeof args>) {
	const named = id?.trim().replace(/^@session:/, "");
	if (!named) return undefined;
	const [, linked, sessionId] = /^([^/]+)\/(.+)$/.exec(named) ?? [];
	return linked === undefined || sessionId === undefined
		? { sessionId: named, profile: profile?.trim() || undefined }
		: { sessionId, profile: linked };
}

function rolesOf(filter: string | undefined): readonly string[] {
	const named = filter?.split(",").map((role) => role.trim().toLowerCase()) ?? [];
	const known = named.filter((role) => roles.includes(role));
	return known.length === 0 ? usualRoles : known;
}

function within(number: number, most: number): number {
	return Math.max(1, Math.min(most, number));
}
