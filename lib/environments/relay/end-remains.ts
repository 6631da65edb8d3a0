/** Ends what a lost relay had started, through the backend's own way of starting processes. */

import type { Sandbox } from "../backend.ts";

/** One process of the relay that had not ended. */
export interface Remains {
	/** Its process group; 0 when the relay did not come to tell it. */
	readonly group: number;
	/** Assignments in the environment of all that it started. */
	readonly marks: readonly string[];
}

/** A sandbox that needs longer is as lost as the relay. */
const limitMs = 20_000;

/**
 * `$1` an assignment that all carry, `$2` groups as `1|2`; then the assignments of single calls. A zombie counts as gone. The
 * processes are asked for a second, and forced for two.
 */
const script = `PATH=$PATH:/usr/local/bin:/usr/bin:/bin
run=$1 groups=$2; shift 2; n=0
for mark; do set -- "$@" -e "$1"; shift; done
living() {
if [ -r /proc/self/stat ]; then
for f in $(grep -lsE "[)] [^ZX] [0-9]+ ($groups) " /proc/[0-9]*/stat) \\
$(grep -lsF "$@" $(grep -lsF "$run" /proc/[0-9]*/environ) /dev/null); do f=\${f#/proc/}; echo "\${f%/*}"; done
else ps -A -o pid= -o pgid= -o stat= | while read -r p g s; do
case $s in Z*) continue ;; esac; case "|$groups|" in *"|$g|"*) echo "$p" ;; esac; done; fi; }
signal() { kill -"$how" $(living "$@"); } 2>/dev/null
pause() { sleep 0.05 2>/dev/null || sleep 1; n=$((n+1)); }
how=TERM; signal "$@"
while [ -n "$(living "$@")" ] && [ $n -lt 20 ]; do pause; done
how=KILL; n=0
while [ -n "$(living "$@")" ] && [ $n -lt 40 ]; do signal "$@"; pause; done`;

/** Arguments that a system takes in one start are limited. */
const mostAtOnce = 500;

/**
 * Resolves when all are gone, or could not be ended within three seconds.
 * @throws {BackendUnavailable} When the sandbox is broken, too.
 */
export async function endRemains(sandbox: Sandbox, run: string, remains: readonly Remains[]): Promise<void> {
	for (let at = 0; at < remains.length; at += mostAtOnce) {
		const some = remains.slice(at, at + mostAtOnce);
		const groups = some.map(({ group }) => group).filter((group) => group > 1);
		const marks = some.flatMap((one) => one.marks.filter((mark) => mark !== run));
		const argv = ["/bin/sh", "-c", script, "sh", run, groups.join("|") || "none", ...marks];
		const signal = AbortSignal.timeout(limitMs);
		const running = await sandbox.start(argv, { env: {}, cwd: "/", stdin: "none", signal });
		await Promise.all([running.output.pipeTo(new WritableStream()), running.exited]);
	}
}
