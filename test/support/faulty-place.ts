/** File scripts under strace: one system call of theirs kills its program, or fails as if a disk were full. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FilePlace } from "../../lib/files/place.ts";

/** Calls that change what is on the disk, as strace names them; those that a machine lacks are passed over. */
export const changingCalls = [
	"openat",
	"write",
	"rename,renameat,renameat2",
	"link,linkat",
	"unlink,unlinkat",
	"mkdir,mkdirat",
	"rmdir",
	"fsync,fdatasync,syncfs",
	"copy_file_range,sendfile,splice",
] as const;

/** What happens at call number `at` of `calls`, counted in each program. */
export interface Fault {
	readonly calls: string;
	readonly at: number;
	/** A signal, or the name of an error. */
	readonly how: "SIGKILL" | "ENOSPC" | "EIO";
}

export interface FaultyPlace {
	readonly place: FilePlace;
	/** What the second script from now on meets, the one that changes things; undefined for nothing. */
	meet(fault: Fault | undefined): void;
	/** Whether it was met. */
	met(): boolean;
}

/** Whether programs can be traced here. */
export function canTrace(): boolean {
	const strace = Bun.which("strace");
	return strace !== null && Bun.spawnSync([strace, "-f", "-o", "/dev/null", "true"]).exitCode === 0;
}

/** A place on this machine, in `cwd`, whose home is `home`; traces are kept in `folder`. */
export function faultyPlace(
	folder: string,
	{ cwd, home }: { readonly cwd: string; readonly home: string },
): FaultyPlace {
	const trace = join(folder, "trace");
	let fault: Fault | undefined;
	let scripts = 0;
	return {
		meet(next) {
			fault = next;
			scripts = 0;
			if (next !== undefined) writeFileSync(trace, "");
		},
		met: () => /killed by SIGKILL|\(INJECTED\)/.test(readFileSync(trace, "utf8")),
		place: {
			async execute(command, options) {
				const shell = ["sh", "-c", command];
				scripts++;
				const child = Bun.spawn(fault === undefined || scripts !== 2 ? shell : [...tracer(trace, fault), ...shell], {
					cwd,
					env: { HOME: home, PATH: "/usr/bin:/bin" },
					stdin: new Blob([options?.stdin ?? ""]),
					stdout: "pipe",
					stderr: "ignore",
				});
				const output = await new Response(child.stdout).text();
				return { output, exitCode: await child.exited, ended: "exited", cwd, ranOn: "test" };
			},
		},
	};
}

function tracer(trace: string, { calls, at, how }: Fault): string[] {
	const effect = how === "SIGKILL" ? "signal=SIGKILL" : `error=${how}`;
	const names = calls.split(",").map((name) => `?${name}`);
	const set = names.join(",");
	// A fault may hold a program for ever; the whole group goes then.
	return [
		"timeout",
		"-s",
		"KILL",
		"20",
		"strace",
		"-f",
		"-o",
		trace,
		"-e",
		`trace=${set}`,
		"-e",
		`inject=${set}:${effect}:when=${at}`,
	];
}
