/** `hermes ps`: processes that run in the background, and where. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { attempt } from "../base/attempt.ts";
import { type CheckpointEntry, isOwnerAlive, openCheckpoint } from "../processes/checkpoint.ts";
import { createRedactor, type Redactor } from "../security/redact.ts";
import { jsonFlag } from "./common-flags.ts";
import { CommandFailed, exitCodes } from "./exit-codes.ts";
import { endBackground } from "./runtime/end-background.ts";
import { visible } from "./runtime/paint.ts";
import { defineAction } from "./subcommand.ts";

export default defineAction({
	summary: "List the processes that run in the background, and end them",
	details: [
		"What a chat or a question has started in the background runs on when hermes ends. The next chat in the same place looks",
		"after it again; the process tool of the model ends it, or --kill when no hermes looks after it. What tools call has",
		"started, tools call process looks after.",
		"Processes of this machine are looked at; of others only what was last known is shown.",
	].join("\n"),
	flags: jsonFlag.extend({
		kill: z.string().optional().meta({ value: "ID", description: "End this process and all that it has started" }),
	}),

	async run({ flags }, cli) {
		const entries = openCheckpoint(join(cli.environment.hermesHome, "processes.json")).read();
		if (flags.kill !== undefined) {
			const entry = entryNamed(flags.kill, entries);
			const isEnded = await endBackground(cli, entry);
			cli.stdout.write(`${entry.id} ${isEnded ? "is ended" : "had ended already"}\n`);
			return exitCodes.ok;
		}
		const redact = createRedactor();
		const rows = entries.map((entry) => rowOf(entry, redact));
		cli.stdout.write(flags.json ? `${JSON.stringify(rows, null, 2)}\n` : textOf(rows));
		return exitCodes.ok;
	},
});

/** The beginning of an id will do. */
function entryNamed(id: string, entries: readonly CheckpointEntry[]): CheckpointEntry {
	const found = entries.filter((entry) => id !== "" && entry.id.startsWith(id));
	const [entry] = found;
	if (entry !== undefined && found.length === 1) return entry;
	const state = entry === undefined ? "there is no such process" : `${found.length} begin like this`;
	throw new CommandFailed(`Cannot end "${id}": ${state}; hermes ps shows them`);
}

interface Row {
	readonly id: string;
	/** `ended` was not told anybody yet. */
	readonly status: "running" | "ended" | "lost" | "unknown";
	readonly exit_code?: number;
	readonly ran_on: string;
	readonly pid: number;
	readonly started_at: string;
	readonly cwd: string;
	readonly command: string;
	/** A hermes looks after it now. */
	readonly attached: boolean;
	readonly session_id: string;
}

function rowOf(entry: CheckpointEntry, redact: Redactor): Row {
	return {
		id: entry.id,
		...standingOf(entry),
		ran_on: entry.ranOn,
		pid: entry.pid,
		started_at: new Date(entry.startedAt).toISOString(),
		cwd: entry.cwd,
		command: redact(entry.command),
		attached: isOwnerAlive(entry.owner),
		session_id: entry.sessionId,
	};
}

/** Only the files of this machine can be looked at without opening anything. */
function standingOf({ ranOn, folder }: CheckpointEntry): Pick<Row, "status" | "exit_code"> {
	if (ranOn !== "local") return { status: "unknown" };
	const code = attempt(() => readFileSync(join(folder, "exit"), "utf8"));
	if (code.ok) return { status: "ended", exit_code: Number(code.value) };
	if (!existsSync(folder)) return { status: "lost" };
	return { status: isSupervised(folder) ? "running" : "lost" };
}

/** The supervisor's number and start are in its folder, behind the boot they belong to. */
function isSupervised(folder: string): boolean {
	const identity = attempt(() => readFileSync(join(folder, "identity"), "utf8").split("\n"));
	if (!identity.ok) return false;
	const [boot = "", supervisor = ""] = identity.value;
	const [pid, start] = supervisor.split(" ");
	return isOwnerAlive({ pid: Number(pid), start: `${boot.slice(1)} ${start}` });
}

function textOf(rows: readonly Row[]): string {
	if (rows.length === 0) return "Nothing runs in the background\n";
	return rows
		.map((row) => {
			const status = row.exit_code === undefined ? row.status : `${row.status} ${row.exit_code}`;
			const place = row.ran_on.padEnd(12);
			const who = row.attached ? "attached" : "";
			return `${row.id}  ${status.padEnd(9)}  ${place}  ${row.started_at.slice(0, 19)}Z  ${who.padEnd(8)}  ${visible(row.command.slice(0, 100))}\n`;
		})
		.join("");
}
