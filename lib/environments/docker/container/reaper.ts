/** Removes containers of ours that were to be thrown away and were left behind. Those that are kept are never touched. */

import type Docker from "dockerode";
import { heldDays } from "../../backend.ts";
import { heldLabel, isProcessGone, labelFilter, processLabel, profileLabels } from "./labels.ts";

/** A container that ended a moment ago may be one that is just being removed. */
const leastIdleSeconds = 60;

/** Which containers count as left behind. */
export interface ReapOptions {
	/** HERMES_HOME: those of other profiles are left alone. */
	readonly home: string;
	/** They have ended longer ago than twice this. */
	readonly lifetimeSeconds: number;
	/** Told of what somebody may have wanted. */
	tell?(line: string): void;
	/** Milliseconds since 1970. */
	readonly now?: number;
}

/**
 * Removes throw-away containers that ended long ago, or whose process was killed before it could remove them; those with work that was
 * not taken over only after `heldDays`. One that resists is left.
 */
export async function reapOrphans(docker: Docker, options: ReapOptions): Promise<void> {
	const { label } = labelFilter(profileLabels(options.home));
	const found = await docker.listContainers({ all: true, filters: { label: [...label, processLabel] } });
	await Promise.allSettled(
		found.map(async ({ Id, State, Labels, Created, Names }) => {
			const container = docker.getContainer(Id);
			if (Labels[heldLabel] !== undefined) {
				if (!isHeldTooLong(Created, options) || !isProcessGone(Labels[processLabel] ?? "")) return;
				await container.remove({ v: true, force: true });
				const name = Names[0]?.slice(1) ?? Id.slice(0, 12);
				options.tell?.(
					`Removed the container ${name} of a sub-agent: nobody took over in ${heldDays} days what it held`,
				);
				return;
			}
			const isAbandoned = isProcessGone(Labels[processLabel] ?? "");
			if (isAbandoned || (State === "exited" && (await endedLongAgo(container, options)))) {
				await container.remove({ v: true, force: isAbandoned });
			}
		}),
	);
}

/** `created`: in seconds since 1970. */
function isHeldTooLong(created: number, { now = Date.now() }: ReapOptions): boolean {
	return now - created * 1000 > heldDays * 86_400_000;
}

async function endedLongAgo(
	container: Docker.Container,
	{ lifetimeSeconds, now = Date.now() }: ReapOptions,
): Promise<boolean> {
	const { State } = await container.inspect();
	const finishedAt = Date.parse(State.FinishedAt);
	// A container that never ran has the year 1.
	return finishedAt > 0 && now - finishedAt > 2_000 * Math.max(leastIdleSeconds, lifetimeSeconds);
}
