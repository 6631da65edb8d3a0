/** When a process began: its number alone may be another's by now. */

import { readFileSync } from "node:fs";
import { attempt } from "./attempt.ts";

/** Boot and start of a process; empty where the system does not tell, and of one that has ended and that nobody waits for. */
export function processStart(pid: number): string {
	const read = attempt(() => {
		const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
		const boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
		const [state = "", ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
		return "ZX".includes(state) ? "" : `${boot} ${rest[18]}`;
	});
	return read.ok ? read.value : "";
}
