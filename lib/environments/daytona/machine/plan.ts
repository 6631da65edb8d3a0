/** What sandbox a task wants: its size, its name and its labels. */

import { hostname } from "node:os";
import { labelValue, shortHash } from "../../docker/container/labels.ts";
import { type DaytonaSettings, usualDisk } from "../settings.ts";

/** A sandbox as it is asked for. */
export interface MachinePlan {
	readonly image: string;
	/** Whole processors and gigabytes; what is left out is as the service sees fit. */
	readonly resources: { readonly cpu?: number; readonly memory?: number; readonly disk?: number };
	/** Unique in the organisation. */
	readonly name: string;
	/** By which it is found again. */
	readonly labels: Readonly<Record<string, string>>;
	/** It is stopped with its files and resumed, instead of being deleted. */
	readonly isKept: boolean;
	/** A limit of the service that the settings exceed, for the user to know. */
	readonly warning: string | undefined;
}

/** Gigabytes of disk that Daytona gives at most. */
const mostDisk = 10;

/** The plan for a task. `home` is HERMES_HOME: other users of the organisation have tasks of the same name. */
export function planMachine(settings: DaytonaSettings, taskId: string, home: string): MachinePlan {
	const { container_cpu: cpu, container_memory: memory, container_disk: disk, container_persistent: isKept } = settings;
	const owner = shortHash(`${hostname()}\0${home}`);
	const task = labelValue(taskId);
	const suffix = isKept ? owner.slice(0, 8) : crypto.randomUUID().slice(0, 8);
	const gigabytes = toGigabytes(disk);
	return {
		image: settings.daytona_image,
		resources: {
			...(cpu > 0 && { cpu: Math.ceil(cpu) }),
			...(memory > 0 && { memory: toGigabytes(memory) }),
			...(disk > 0 && { disk: Math.min(gigabytes, mostDisk) }),
		},
		name: `hermes-${task}-${suffix}`,
		labels: { hermes_task_id: task, hermes_home: owner, hermes_kept: isKept ? "yes" : "no" },
		isKept,
		warning:
			gigabytes > mostDisk && disk !== usualDisk
				? `terminal.container_disk asks for ${gigabytes} GB; Daytona gives a sandbox ${mostDisk} at most`
				: undefined,
	};
}

function toGigabytes(megabytes: number): number {
	return Math.max(1, Math.ceil(megabytes / 1024));
}
