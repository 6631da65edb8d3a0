/** `hermes agents merge` and `discard`: what becomes of a change that a sub-agent made in a place of its own. */

import { takeOver } from "../../agent/delegate/changes.ts";
import { createIsolation } from "../../agent/delegate/places/create-isolation.ts";
import { worktreesFolder } from "../../files/worktrees/scripts/repository-script.ts";
import { CommandFailed, exitCodes } from "../exit-codes.ts";
import { openPlace } from "../runtime/open-place.ts";
import { openSettings } from "../runtime/settings.ts";
import type { Cli } from "../subcommand.ts";
import { findRecord } from "./find-record.ts";
import type { StatusRequest } from "./status.ts";

/** What the user asked for. */
export interface ChangeRequest extends StatusRequest {
	readonly action: "merge" | "discard";
	/** Number of the task, when several have changes. */
	readonly task: number | undefined;
}

/**
 * Does it on the backend that the files are on, with its settings as they are now.
 * @throws {CommandFailed} When there is no such change, or it conflicts with what the files hold now.
 */
export async function settleChange(cli: Cli, { id, action, task, isJson }: ChangeRequest): Promise<number> {
	const { records, record } = findRecord(cli, id);
	if (record.status === "running") {
		throw new CommandFailed(`Cannot ${action} ${record.id}: it still runs; hermes agents cancel ${record.id} stops it`);
	}
	const target = record.children.find(
		({ change, task_index }) => change && (task ?? task_index) === task_index,
	)?.change;
	// The files are where they were when the task was handed out, whatever the settings say by now.
	const config = await openSettings(cli, { backend: target?.backend });
	await using place = await openPlace(cli, { config, ...(target && { cwd: projectOf(target.target) }) });
	const answer = await takeOver(action, {
		id: record.id,
		task,
		children: record.children,
		isolation: createIsolation({ pool: place.pool, home: cli.environment.hermesHome }),
		signal: cli.interruption.signal,
	});
	if (!answer.ok) throw new CommandFailed(answer.why.replaceAll("task_index", "--task"));
	records.write(record);
	cli.stdout.write(isJson ? `${JSON.stringify(answer.data)}\n` : `${textOf(answer.data)}\n`);
	return exitCodes.ok;
}

/** The folder of a sub-agent that had sub-agents of its own may be gone; the project that it is in is not. */
function projectOf(folder: string): string {
	const at = folder.indexOf(`/${worktreesFolder}/`);
	return at === -1 ? folder : folder.slice(0, at);
}

function textOf({ status, files }: Readonly<Record<string, unknown>>): string {
	const named = Array.isArray(files) ? files.map(String) : [];
	return [String(status), ...named.map((file) => `  ${file}`)].join("\n");
}
