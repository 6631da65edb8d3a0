/** `hermes logs`: what the program wrote about itself, and what it writes now. */

import { statSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { levelOf } from "../log/line.ts";
import { logFolder } from "../log/logger.ts";
import { parseSince, type Selection } from "../log/select.ts";
import { followLog, readTail } from "../log/tail.ts";
import { jsonFlag } from "./common-flags.ts";
import { exitCodes, UsageError } from "./exit-codes.ts";
import { type Cli, defineAction } from "./subcommand.ts";

const logNames = ["agent", "errors", "gateway"];

export default defineAction({
	summary: "Show and follow the logs",
	details: [
		"NAME is agent (the default), errors, gateway, or list to see which there are.",
		"An entry is shown whole: a stack goes with the line it belongs to.",
	].join("\n"),
	operands: "[NAME]",
	completes: [...logNames, "list"],
	flags: jsonFlag.extend({
		follow: z.boolean().default(false).meta({ short: "f", description: "Go on with what is written from now on" }),
		lines: z.coerce
			.number()
			.int()
			.min(0)
			.default(50)
			.meta({ short: "n", value: "N", description: "Entries to begin with (default: 50)" }),
		level: z
			.string()
			.optional()
			.meta({ value: "L", description: "Least level: debug, info, warning, error, critical" }),
		session: z.string().optional().meta({ value: "ID", description: "One session, by its id or the start of it" }),
		since: z.string().optional().meta({ value: "TIME", description: "30m, 1h, 2d ago, or a date and time" }),
	}),

	async run({ flags, operands }, cli) {
		const [name = "agent"] = operands;
		if (name === "list") return list(cli, flags.json);
		if (!logNames.includes(name)) {
			throw new UsageError(`Cannot show log "${name}": there is ${logNames.join(", ")} and list`);
		}
		const path = join(logFolder(cli.environment.hermesHome), `${name}.log`);
		const selection = selectionOf(flags);
		const onLines = (lines: readonly string[]) => cli.stdout.write(lines.map((line) => `${line}\n`).join(""));
		if (!flags.follow) {
			onLines(readTail(path, flags.lines, selection));
			return exitCodes.ok;
		}
		await followLog(path, { count: flags.lines, selection, signal: cli.interruption.signal, onLines });
		return cli.interruption.exitCode() ?? exitCodes.ok;
	},
});

function selectionOf(flags: {
	readonly level?: string | undefined;
	readonly session?: string | undefined;
	readonly since?: string | undefined;
}): Selection {
	const level = flags.level === undefined ? undefined : levelOf(flags.level);
	if (flags.level !== undefined && level === undefined) {
		throw new UsageError(`Cannot show level "${flags.level}": there is debug, info, warning, error and critical`);
	}
	const since = flags.since === undefined ? undefined : parseSince(flags.since, Date.now());
	if (flags.since !== undefined && since === undefined) {
		throw new UsageError(`Cannot show since "${flags.since}": say 30m, 1h, 2d, or a date such as 2026-07-01`);
	}
	return {
		...(level !== undefined && { level }),
		...(flags.session !== undefined && { session: flags.session }),
		...(since !== undefined && { since }),
	};
}

function list(cli: Cli, asJson: boolean): number {
	const folder = logFolder(cli.environment.hermesHome);
	const rows = logNames.flatMap((name) => {
		const path = join(folder, `${name}.log`);
		const file = statSync(path, { throwIfNoEntry: false });
		return file ? [{ name, path, bytes: file.size }] : [];
	});
	const text = rows
		.map(({ name, path, bytes }) => `${name.padEnd(10)}${String(bytes).padStart(10)}  ${path}\n`)
		.join("");
	cli.stdout.write(asJson ? `${JSON.stringify(rows, null, 2)}\n` : text);
	return exitCodes.ok;
}
