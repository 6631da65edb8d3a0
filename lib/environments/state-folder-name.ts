/** Names of the folders that hold the state of sessions on this machine, so that what a killed process left is known as its own. */

import { readlinkSync } from "node:fs";
import { attempt } from "../base/attempt.ts";

/** Memory where the system has such a folder: state is written on every command, and holds secrets. */
export const memoryFolder = "/dev/shm";

/** Of a folder's name: the process, and the pid namespace in which that number is its own. */
export interface StateFolderOwner {
	readonly pid: number;
	readonly namespace: string | undefined;
}

/** How the names of this process's folders begin; six letters follow. */
export function stateFolderPrefix(): string {
	return `hermes-${process.pid}-${pidNamespace()}-`;
}

/** Whose folder `name` is; undefined when it is none of these. */
export function stateFolderOwner(name: string): StateFolderOwner | undefined {
	const [, pid, namespace] = /^hermes-(\d+)-(?:(\d+)-)?\w{6}$/.exec(name) ?? [];
	return pid === undefined ? undefined : { pid: Number(pid), namespace };
}

/** Containers may share the folder but not the numbers of processes. `0` where there are no namespaces. */
export function pidNamespace(): string {
	const link = attempt(() => readlinkSync("/proc/self/ns/pid"));
	return (link.ok && /\d+/.exec(link.value)?.[0]) || "0";
}
