/** Signals and ends everything that one start left running on a host, by a script of its own there. */

import { callMark, runMark } from "../../call-marks.ts";
import { loginLine } from "./launcher.ts";
import { newMark, type RemoteHost, runLine } from "./remote-host.ts";

/** What the processes of one start have in common. */
export interface RemoteTree {
	/** Their process group; undefined when it never said. */
	readonly group: number | undefined;
	readonly call: string;
}

/** The script needs at most four seconds; the rest is for a slow network. */
const limitMs = 30_000;

/**
 * `$1` group, `$2` run, `$3` call. `living` lists the processes of the group, and those that left it but carry the marks of the
 * call (Linux). A zombie counts as gone: in a container nobody may ever reap it. The call ends in a letter, so that no other
 * call's mark begins with it.
 */
const functions = `living() {
if [ -r /proc/self/stat ]; then
for f in $(grep -lsE "[)] [^ZX] [0-9]+ $1 " /proc/[0-9]*/stat) \\
$(grep -lsF "${runMark}=$2" $(grep -lsF "${callMark}=$3" /proc/[0-9]*/environ) /dev/null); do f=\${f#/proc/}; echo "\${f%/*}"; done
else ps -A -o pid= -o pgid= -o stat= | while read -r p g s; do case $g$s in $1Z*) ;; $1*) echo "$p";; esac; done; fi; }
signal() { kill -"$4" -- -"$1"; kill -"$4" $(living "$1" "$2" "$3"); } 2>/dev/null
pause() { sleep 0.05 2>/dev/null || sleep 1; n=$((n+1)); }`;

/** Asks, waits a second for them to go, and forces what is left for two. */
const endScript = `${functions}
signal "$1" "$2" "$3" TERM; n=0
while [ -n "$(living "$1" "$2" "$3")" ] && [ $n -lt 20 ]; do pause; done; n=0
while [ -n "$(living "$1" "$2" "$3")" ] && [ $n -lt 40 ]; do signal "$1" "$2" "$3" KILL; pause; done`;

const signalScript = `${functions}
signal "$1" "$2" "$3" "$4"`;

/** Resolves when all are gone, or could not be ended within three seconds. @throws {BackendUnavailable} */
export async function endTree(host: RemoteHost, tree: RemoteTree): Promise<void> {
	await runScript(host, endScript, wordsOf(host, tree));
}

/** Signals them once. @throws {BackendUnavailable} */
export async function signalTree(host: RemoteHost, tree: RemoteTree, signal: NodeJS.Signals): Promise<void> {
	await runScript(host, signalScript, [...wordsOf(host, tree), signal.replace(/^SIG/, "")]);
}

function wordsOf({ run }: RemoteHost, { group, call }: RemoteTree): string[] {
	return [group === undefined ? "none" : String(group), run, call];
}

async function runScript(
	{ transport, loginShell }: RemoteHost,
	script: string,
	words: readonly string[],
): Promise<void> {
	const mark = newMark();
	const line = loginLine(loginShell, `printf '${mark}\\n'\n${script}`, words);
	await runLine(transport, { line, mark, signal: AbortSignal.timeout(limitMs) });
}
