/** The inside of a sandbox: processes of this machine in a process namespace of their own, which end together. */

import { readFileSync } from "node:fs";

/** A running inside. */
export interface Cell {
	/** The words that run a program inside. */
	enter(argv: readonly string[]): string[];
	/** Ends everything inside. */
	end(): Promise<void>;
}

/** In a restarted sandbox nothing is left in memory, so `/dev/shm` is its own. */
const first = "mount -t proc proc /proc && mount -t tmpfs none /dev/shm && echo up && exec sleep infinity";

/** Starts the inside. @throws {Error} Where there are no namespaces. */
export async function startCell(): Promise<Cell> {
	const isRoot = process.getuid?.() === 0;
	const user = isRoot ? [] : ["--user", "--map-root-user"];
	const holder = Bun.spawn(["unshare", ...user, "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", first], {
		stdout: "pipe",
		stderr: "inherit",
	});
	const reader = holder.stdout.getReader();
	const { done } = await reader.read();
	if (done) throw new Error("Cannot start a sandbox: no namespaces can be made here");
	const init = childOf(holder.pid);
	const namespaces = ["--mount", "--pid", ...(isRoot ? [] : ["--user", "--preserve-credentials"])];
	return {
		enter: (argv) => ["nsenter", "--target", String(init), ...namespaces, "--", ...argv],
		async end() {
			holder.kill("SIGKILL");
			await holder.exited;
		},
	};
}

function childOf(pid: number): number {
	return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").trim().split(" ")[0]);
}
