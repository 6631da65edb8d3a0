/** Removes containers of ours that were left behind. */

import type Docker from "dockerode";
import { labelFilter, profileLabels } from "./labels.ts";

/** A container that ended a moment ago may be one that somebody is about to start again. */
const leastIdleSeconds = 60;

/** Removes ended containers of this profile that ended longer ago than twice `lifetimeSeconds`. One that resists is left. */
export async function reapOrphans(docker: Docker, home: string, lifetimeSeconds: number): Promise<void> {
	const limitMs = 2_000 * Math.max(leastIdleSeconds, lifetimeSeconds);
	const filters = { ...labelFilter(profileLabels(home)), status: ["exited"] };
	const ended = await docker.listContainers({ all: true, filters });
	await Promise.allSettled(ended.map(({ Id }) => reap(docker.getContainer(Id), limitMs)));
}

async function reap(container: Docker.Container, limitMs: number): Promise<void> {
	const { State } = await container.inspect();
	const finishedAt = Date.parse(State.FinishedAt);
	// A container that never ran has the year 1.
	if (State.Running || !(finishedAt > 0) || Date.now() - finishedAt < limitMs) return;
	await container.remove({ v: true });
}
