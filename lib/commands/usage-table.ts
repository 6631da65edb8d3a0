/** Tokens and costs as a table for people. */

import { addUsage, noUsage } from "../agent/tally.ts";
import type { TokenUsage } from "../base/conversation.ts";
import type { UsedBy } from "../store/usage-report.ts";

/** Calls of models, counted. */
export type Sums = Pick<UsedBy, "calls" | "usage" | "costUsd" | "unpricedCalls">;

/** All of `rows` together. */
export function totalOf(rows: readonly Sums[]): Sums {
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

const headings = ["", "calls", "input", "cached", "output", "cost"];

/** One line each, without an end; a cost that is not known in full ends in a plus, one of which nothing is known is `-`. */
export function usageTable(rows: readonly (readonly [name: string, sums: Sums])[]): string {
	const table = [headings, ...rows.map(([name, sums]) => [name, ...cells(sums)])];
	const widths = headings.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
	const lines = table.map((row) =>
		row.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))),
	);
	return lines.map((line) => line.join("  ").trimEnd()).join("\n");
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
