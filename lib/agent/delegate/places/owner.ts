/** Who a change of a sub-agent belongs to while it is made, so that what a dead process has left is told from work under way. */

import { readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { attempt } from "../../../base/attempt.ts";
import { isOwnerAlive, thisOwner } from "../../../processes/checkpoint.ts";

/** This process, in one line: machine, number, and when it began. */
export function ownerText(): string {
	const { pid, start } = thisOwner();
	return `${machine()} ${pid} ${start}`;
}

/** Who can find the sandboxes of this home on `backend` again. */
export function holderText(backend: string, home: string): string {
	return `${backend} ${new Bun.CryptoHasher("sha256").update(home).digest("hex").slice(0, 12)}`;
}

/** Whether the process that `text` names has ended. Of one on another machine nothing is known: then it has not. */
export function isOwnerGone(text: string): boolean {
	const [, where, pid, start = ""] = /^(\w+) (\d+) (.*)$/s.exec(text) ?? [];
	return where === machine() && !isOwnerAlive({ pid: Number(pid), start });
}

/** The set of process numbers that ours belongs to: this machine, or a container on it. */
function machine(): string {
	const space = attempt(() => (process.platform === "linux" ? readlinkSync("/proc/self/ns/pid") : ""));
	const text = `${hostname()} ${space.ok ? space.value : ""}`;
	return new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, 12);
}
