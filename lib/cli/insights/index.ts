/** `hermes insights`: how hermes has been used. */

import { z } from "zod";
import { type Insights, insightsSince } from "../../store/insights.ts";
import { jsonFlag } from "../common-flags.ts";
import { exitCodes } from "../exit-codes.ts";
import { visible } from "../runtime/paint.ts";
import { startOfDays } from "../runtime/start-of-days.ts";
import { openSessionsIfAny } from "../sessions/open-sessions.ts";
import { defineAction } from "../subcommand.ts";

export default defineAction({
	summary: "Show how hermes has been used: sessions, tools, hours of the day",
	details: "What models have used, in tokens and money, is in hermes usage.",
	flags: jsonFlag.extend({
		days: z.coerce
			.number()
			.int()
			.min(1)
			.default(30)
			.meta({ short: "d", value: "N", description: "The last N days, today being one (default: 30)" }),
	}),

	async run({ flags: { json, days } }, cli) {
		using store = openSessionsIfAny(cli);
		const found = store && insightsSince(store, startOfDays(days));
		if (json) cli.stdout.write(`${JSON.stringify(found ?? nothing, null, 2)}\n`);
		else cli.stdout.write(found === undefined || found.sessions === 0 ? "There are no sessions yet\n" : textOf(found));
		return exitCodes.ok;
	},
});

const nothing: Insights = {
	...{ sessions: 0, questions: 0, toolCalls: 0, tools: [], sources: [], longest: [] },
	hours: Array.from({ length: 24 }, () => 0),
};

/** Tools and sessions that the text names; `--json` has all. */
const namedTools = 10;
const barWidth = 24;

function textOf({ sessions, questions, toolCalls, tools, sources, hours, longest }: Insights): string {
	const most = Math.max(1, ...tools.map(({ calls }) => calls));
	const widest = Math.max(0, ...tools.slice(0, namedTools).map(({ name }) => name.length));
	const parts = [
		`${sessions} sessions, ${questions} questions, ${toolCalls} calls of tools`,
		`begun from ${sources.map(({ source, sessions }) => `${visible(source)} (${sessions})`).join(", ")}`,
		"",
		...tools
			.slice(0, namedTools)
			.map(({ name, calls }) => `${visible(name).padEnd(widest)}  ${bar(calls, most)} ${calls}`),
		"",
		`by hour  ${hours.map((number) => level(number, Math.max(1, ...hours))).join("")}  (0 to 23)`,
		...longest.map(({ id, title, toolCalls }) => `${id}  ${toolCalls} calls  ${visible(title ?? "")}`.trimEnd()),
	];
	return `${parts.join("\n")}\n`;
}

function bar(value: number, most: number): string {
	return "█".repeat(Math.max(1, Math.round((value / most) * barWidth)));
}

function level(value: number, most: number): string {
	return value === 0 ? "·" : (["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"][Math.ceil((value / most) * 8) - 1] ?? "█");
}
