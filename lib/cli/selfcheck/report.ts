/** Shows a selfcheck: a line a check as it is done and the figures at the end, or one JSON object. */

import { type Paint, paintFor, printable } from "../runtime/paint.ts";
import type { Cli } from "../subcommand.ts";
import type { Check, Selfcheck } from "./result.ts";

/** Takes results as they come. */
export interface Report {
	add(check: Check): void;
	/** Everything is known, or `isStopped` by the user. */
	finish(result: Selfcheck, isStopped: boolean): void;
}

/** How it is shown. */
export interface ReportOptions {
	readonly backend: string;
	readonly json: boolean;
	/** Checks that are to come. */
	readonly total: number;
}

const marks = {
	passed: { sign: "✓", style: "good" },
	failed: { sign: "✗", style: "bad" },
	unsupported: { sign: "–", style: "dim" },
} as const;

/** A report to standard output; with `json` the progress goes to a terminal's standard error. */
export function createReport(cli: Cli, { backend, json, total }: ReportOptions): Report {
	const paint = paintFor(cli.stdout, cli.environment);
	if (json) return jsonReport(cli, total);
	cli.stdout.write(`${paint("bold", `hermes selfcheck ${backend}`)}\n`);
	return {
		add: (check) => cli.stdout.write(lineOf(check, paint)),
		finish: (result, isStopped) => cli.stdout.write(summaryOf(result, { isStopped, total, paint })),
	};
}

function jsonReport(cli: Cli, total: number): Report {
	let done = 0;
	return {
		add() {
			done++;
			if (cli.stderr.isTerminal) cli.stderr.write(`\rhermes: ${done} of ${total + 1} checks`);
		},
		finish(result, isStopped) {
			if (cli.stderr.isTerminal) cli.stderr.write("\n");
			// Half a result would look like a whole one.
			if (!isStopped) cli.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
		},
	};
}

function lineOf({ name, status, detail }: Check, paint: Paint): string {
	const { sign, style } = marks[status];
	const reason = detail === "" ? "" : `\n    ${paint(style, printable(detail).replaceAll("\n", "\n    "))}`;
	return `  ${paint(style, sign)} ${printable(name)}${reason}\n`;
}

function summaryOf(
	{ ran_on, checks, latency_ms }: Selfcheck,
	{ isStopped, total, paint }: { readonly isStopped: boolean; readonly total: number; readonly paint: Paint },
): string {
	const count = (status: Check["status"]) => checks.filter((check) => check.status === status).length;
	const counts = `${count("passed")} passed, ${count("failed")} failed, ${count("unsupported")} not supported`;
	if (isStopped) return `\nStopped after ${checks.length} of ${total + 1} checks: ${counts}\n`;
	if (ran_on === "") return `\n${counts}; nothing else could be checked\n`;
	const rows = [
		["a command that does nothing", latency_ms.execute_true],
		["a megabyte of output", latency_ms.output_1mb],
		["a new session", latency_ms.open_session],
	] as const;
	const figures = rows.map(([what, ms]) => `  ${what.padEnd(30)}${ms.toFixed(1).padStart(9)} ms\n`).join("");
	return `\n${counts} on ${paint("bold", printable(ran_on))}\n\nMedian times\n${figures}`;
}
