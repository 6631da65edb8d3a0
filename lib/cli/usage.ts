/** `hermes usage`: tokens and money that models have used. */

import { z } from "zod";
import { addUsage, noUsage } from "../agent/tally.ts";
import type { TokenUsage } from "../base/conversation.ts";
import { type UsageReport, type UsedBy, usageReport } from "../store/usage-report.ts";
import { jsonFlag } from "./common-flags.ts";
import { exitCodes } from "./exit-codes.ts";
import { visible } from "./runtime/paint.ts";
import { startOfDays } from "./runtime/start-of-days.ts";
import { openSessionsIfAny } from "./sessions/open-sessions.ts";
import { defineAction } from "./subcommand.ts";

export default defineAction({
	summary: "Show the tokens and the money that models have used",
	details: [
		"Counts every call of a model in the sessions of this home, those for summaries too. What a call cost is known when the",
		"provider says it, or when the price of its model is known; deleted sessions are not counted.",
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
		const nothing: UsageReport = { sessions: 0, models: [], days: [] };
		const report = store === undefined ? nothing : usageReport(store, days === undefined ? 0 : startOfDays(days));
		cli.stdout.write(json ? `${JSON.stringify(jsonOf(report), null, 2)}\n` : textOf(report));
		return exitCodes.ok;
	},
});

type Sums = Pick<UsedBy, "calls" | "usage" | "costUsd" | "unpricedCalls">;

function totalOf(rows: readonly Sums[]): Sums {
	return rows.reduce(
		(total, row) => ({
			calls: total.calls + row.calls,
			usage: addUsage(total.usage, row.usage),
			costUsd: total.costUsd + row.costUsd,
			unpricedCalls: total.unpricedCalls + row.unpricedCalls,
		}),
		{ calls: 0, usage: noUsage, costUsd: 0, unpricedCalls: 0 },
	);
}

function jsonOf({ sessions, models, days }: UsageReport) {
	return {
		sessions,
		total: sumsOf(totalOf(models)),
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

const headings = ["", "calls", "input", "cached", "output", "cost"];

function textOf({ sessions, models }: UsageReport): string {
	if (models.length === 0) return "No model has been asked yet\n";
	const total = totalOf(models);
	const rows = [
		headings,
		...models.map((row) => [visible(`${row.model ?? "?"} (${row.provider ?? "?"})`), ...cells(row)]),
		[`all, in ${sessions} ${sessions === 1 ? "session" : "sessions"}`, ...cells(total)],
	];
	const widths = headings.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
	const lines = rows.map((row) =>
		row.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))),
	);
	const unknown = total.unpricedCalls === 0 ? "" : "+ the price of some calls is not known\n";
	return `${lines.map((cells) => cells.join("  ").trimEnd()).join("\n")}\n${unknown}`;
}

function cells({ calls, usage, costUsd, unpricedCalls }: Sums): readonly string[] {
	const cost =
		unpricedCalls === calls ? "-" : `$${costUsd.toFixed(costUsd < 1 ? 4 : 2)}${unpricedCalls > 0 ? "+" : ""}`;
	return [number(calls), number(inputOf(usage)), cachedPart(usage), number(usage.outputTokens), cost];
}

function inputOf({ inputTokens, cacheReadTokens, cacheWriteTokens }: TokenUsage): number {
	return inputTokens + cacheReadTokens + cacheWriteTokens;
}

function cachedPart(usage: TokenUsage): string {
	const all = inputOf(usage);
	return all === 0 ? "-" : `${Math.round((usage.cacheReadTokens / all) * 100)}%`;
}

function number(value: number): string {
	return value.toLocaleString("en-US");
}
