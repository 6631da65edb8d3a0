/** `hermes usage`: tokens and money that models have used. */

import { z } from "zod";
import { type Sums, totalOf, usageTable } from "../commands/usage-table.ts";
import { conversationTask, type UsageReport, usageReport } from "../store/usage-report.ts";
import { jsonFlag } from "./common-flags.ts";
import { exitCodes } from "./exit-codes.ts";
import { visible } from "./runtime/paint.ts";
import { startOfDays } from "./runtime/start-of-days.ts";
import { openSessionsIfAny } from "./sessions/open-sessions.ts";
import { defineAction } from "./subcommand.ts";

export default defineAction({
	summary: "Show the tokens and the money that models have used",
	details: [
		"Counts every call of a model in the sessions of this home, by model and by what it was for: the conversation, its subagents,",
		"or a side task such as compression. What a call cost is known when the provider says it, or when the price of its model",
		"is known; deleted sessions are not counted.",
	].join("\n"),
	flags: jsonFlag.extend({
		days: z.coerce
			.number()
			.int()
			.min(1)
			.optional()
			.meta({ short: "d", value: "N", description: "Only the last N days, today being one (default: all)" }),
	}),

	async run({ flags: { json, days } }, cli) {
		using store = openSessionsIfAny(cli);
		const nothing: UsageReport = { sessions: 0, models: [], days: [], tasks: [] };
		const report = store === undefined ? nothing : usageReport(store, days === undefined ? 0 : startOfDays(days));
		cli.stdout.write(json ? `${JSON.stringify(jsonOf(report), null, 2)}\n` : textOf(report));
		return exitCodes.ok;
	},
});

function jsonOf({ sessions, models, days, tasks }: UsageReport) {
	return {
		sessions,
		total: sumsOf(totalOf(models)),
		tasks: tasks.map((row) => ({ task: row.task, ...sumsOf(row) })),
		models: models.map((row) => ({ provider: row.provider, model: row.model, ...sumsOf(row) })),
		days: days.map((row) => ({ day: row.day, ...sumsOf(row) })),
	};
}

function sumsOf({ calls, usage, costUsd, unpricedCalls }: Sums) {
	return {
		calls,
		input_tokens: usage.inputTokens,
		cache_read_tokens: usage.cacheReadTokens,
		cache_write_tokens: usage.cacheWriteTokens,
		output_tokens: usage.outputTokens,
		reasoning_tokens: usage.reasoningTokens,
		cost_usd: costUsd,
		unpriced_calls: unpricedCalls,
	};
}

function textOf({ sessions, models, tasks }: UsageReport): string {
	if (models.length === 0) return "No model has been asked yet\n";
	const total = totalOf(models);
	const counted = `all, in ${sessions} ${sessions === 1 ? "session" : "sessions"}`;
	const byModel = models.map((row) => [visible(`${row.model ?? "?"} (${row.provider ?? "?"})`), row] as const);
	const isOneTask = tasks.length === 1 && tasks[0]?.task === conversationTask;
	const byTask = isOneTask ? "" : `\n${usageTable(tasks.map((row) => [visible(row.task), row]))}\n`;
	const unknown = total.unpricedCalls === 0 ? "" : "+ the price of some calls is not known\n";
	return `${usageTable([...byModel, [counted, total]])}\n${byTask}${unknown}`;
}
