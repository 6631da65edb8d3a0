/** What this process holds, as the kernel counts it. Linux only. */

import { readdirSync, readFileSync } from "node:fs";

/** Open descriptors of this process. */
export function ownDescriptors(): number {
	return readdirSync("/proc/self/fd").length;
}

/** Living children of this process. */
export function ownProcesses(): number {
	const parent = String(process.pid);
	return readdirSync("/proc").filter((name) => /^\d+$/.test(name) && parentOf(name) === parent).length;
}

function parentOf(pid: string): string | undefined {
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
		return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1];
	} catch {
		// It ended while we looked.
		return undefined;
	}
}
