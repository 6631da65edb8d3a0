/** Ends a process of the background from outside of the conversation that started it. */

import type { CheckpointEntry } from "../../processes/checkpoint.ts";
import { isOwnerAlive } from "../../processes/checkpoint.ts";
import { CommandFailed } from "../exit-codes.ts";
import type { Cli } from "../subcommand.ts";
import { openPlace } from "./open-place.ts";
import { openSettings } from "./settings.ts";

/**
 * Ends the process and all that it started; nobody is told of its end any more. False when it had ended by itself.
 * @throws {CommandFailed} When a hermes looks after it, when its sandbox is not the one of today, or when it would not end.
 * @throws {BackendUnavailable} When the place cannot be opened.
 */
export async function endBackground(cli: Cli, entry: CheckpointEntry): Promise<boolean> {
	const { id, owner, ranOn, taskId } = entry;
	if (isOwnerAlive(owner)) {
		throw new CommandFailed(
			`Cannot end "${id}": the hermes with the number ${owner.pid} looks after it; ask it there, or leave that one first`,
		);
	}
	const config = await openSettings(cli, { backend: ranOn.split(":", 1)[0] });
	await using place = await openPlace(cli, { config });
	const adopted = await place.processes.adopt(taskId, { tells: false, keeps: true });
	const process = adopted.find(({ record }) => record.id === id);
	if (process === undefined) {
		throw new CommandFailed(`Cannot end "${id}": it runs on ${ranOn}, and what is open now is ${place.shell.ranOn}`);
	}
	const killed = await process.kill();
	if (killed.is === "alive") {
		throw new CommandFailed(`Cannot end "${id}": ${killed.pids.join(", ")} would not end`);
	}
	place.processes.desk(taskId, "").seen(process);
	await place.processes.saved();
	return killed.is === "gone";
}
