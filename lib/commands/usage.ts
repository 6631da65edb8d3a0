/** `/usage`: what the session has used. */

import { sessionReport } from "../store/usage-report.ts";
import { type Command, chatSurfaces } from "./command.ts";
import type { CommandConversation } from "./conversation.ts";
import { type Sums, totalOf, usageTable } from "./usage-table.ts";

/** Of the longest task: a table whose columns move when a title was made looks like another one. */
const nameWidth = "title_generation".length;

export default {
	name: "usage",
	description: "what this session has used: tokens and money",
	category: "info",
	surfaces: chatSurfaces,
	whileBusy: "runs",
	run({ conversation, say }) {
		const rows = usedIn(conversation);
		const total = totalOf(rows.map(([, sums]) => sums));
		const reasoning = total.usage.reasoningTokens;
		const named = [...rows, ["all", total] as const].map(([name, sums]) => [name.padEnd(nameWidth), sums] as const);
		const table = usageTable(named);
		const thought = reasoning === 0 ? "" : `\n${reasoning.toLocaleString("en-US")} of the output were for reasoning`;
		say(`Session ${conversation.sessionId}\n${table}${thought}`);
		return undefined;
	},
} satisfies Command;

/** A conversation that is not kept knows its own calls alone. */
function usedIn({ store, sessionId, used }: CommandConversation): readonly (readonly [string, Sums])[] {
	if (store !== undefined) return sessionReport(store, sessionId).map(({ task, ...sums }) => [task, sums]);
	const { modelCalls: calls, tokens: usage } = used;
	return [["conversation", { calls, usage, costUsd: 0, unpricedCalls: calls }]];
}
