/** The inside of a sandbox: processes of this machine in a process namespace of their own, which end together. */

import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A running inside. */
export interface Cell {
	/** The words that run a program inside. */
	enter(argv: readonly string[]): string[];
	/** Ends everything inside. */
	end(): Promise<void>;
}

/** Folders of this machine in whose place a sandbox has its own. */
const ownFolders = ["root", "tmp"] as const;

/** Home of the user inside. */
export const insideHome = "/root";

/**
 * Starts the inside, with the files of `folder`. In a restarted sandbox nothing is left in memory, so `/dev/shm` is its own.
 * @throws {Error} Where there are no namespaces.
 */
export async function startCell(folder: string): Promise<Cell> {
	for (const name of ownFolders) mkdirSync(join(folder, name), { recursive: true });
	const mounts = ownFolders.map((name) => `mount --bind ${join(folder, name)} /${name}`).join(" && ");
	const memory = "mount -t proc proc /proc && mount -t tmpfs none /dev/shm";
	const first = `${memory} && ${mounts} && echo up && exec sleep infinity`;
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
