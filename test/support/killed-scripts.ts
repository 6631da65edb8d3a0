/** File scripts that die in the middle: the n-th program that a script starts kills it, as a lost machine would. */

import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FilePlace } from "../../lib/files/place.ts";

/** Programs that change something, or on whose answer a change depends. */
const programs = ["mkdir", "rmdir", "mv", "rm", "ln", "cp", "chmod", "chown", "sync", "cat", "head", "mktemp"];
const searched = "PATH=/usr/bin:/bin:/usr/local/bin:$PATH";

export interface KilledScripts {
	readonly place: FilePlace;
	/** Scripts that follow die when they start their program number `step` (from 1), or only this program fails; 0 for never. */
	stopAt(step: number, how?: "dies" | "fails"): void;
	/** Programs that were started since then. */
	started(): number;
}

/** A place on this machine, in `cwd`, whose home is `home`; what it needs is kept in `folder`. */
export function killedScripts(
	folder: string,
	{ cwd, home }: { readonly cwd: string; readonly home: string },
): KilledScripts {
	const bin = join(folder, "bin");
	const [count, pid, plan] = [join(folder, "count"), join(folder, "pid"), join(folder, "plan")];
	mkdirSync(bin);
	for (const program of programs) {
		const real = Bun.which(program, { PATH: "/usr/bin:/bin" });
		if (real === null) continue;
		const lines = [
			"#!/bin/sh",
			`read -r n < '${count}'; n=$((n + 1)); echo "$n" > '${count}'`,
			`read -r at how < '${plan}'`,
			`[ "$n" -eq "$at" ] || exec '${real}' "$@"`,
			`[ "$how" = fails ] || { read -r main < '${pid}'; kill -9 "$main" $PPID; }`,
			"exit 137",
		];
		writeFileSync(join(bin, program), `${lines.join("\n")}\n`);
		chmodSync(join(bin, program), 0o755);
	}
	return {
		stopAt(step, how = "dies") {
			writeFileSync(count, "0\n");
			writeFileSync(plan, `${step} ${how}\n`);
		},
		started: () => Number(readFileSync(count, "utf8")),
		place: {
			async execute(command, options) {
				const watched = command.replace(searched, () => `PATH=${bin}:/usr/bin:/bin; echo $$ > ${pid}`);
				const child = Bun.spawn(["sh", "-c", watched], {
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

/** Makes the folder anew. */
export function emptyFolder(path: string): void {
	if (existsSync(path)) rmSync(path, { recursive: true });
	mkdirSync(path, { recursive: true });
}
