/** Background processes of a hermes that was killed, and that nobody would ever look after. */

import { join } from "node:path";
import { isOwnerAlive, openCheckpoint } from "../../processes/checkpoint.ts";
import type { Place } from "./open-place.ts";

/** Ends those of tasks that `isOurs` names, where they run in the same place as ours. */
export async function endOrphans(
	{ processes }: Pick<Place, "processes">,
	{ hermesHome, isOurs }: { readonly hermesHome: string; isOurs(taskId: string): boolean },
): Promise<void> {
	const left = openCheckpoint(join(hermesHome, "processes.json"))
		.read()
		.filter(({ taskId, owner }) => isOurs(taskId) && !isOwnerAlive(owner));
	for (const task of new Set(left.map(({ taskId }) => taskId))) {
		const adopted = await processes.adopt(task, { tells: false });
		await Promise.all(adopted.map((process) => process.kill()));
	}
}
