/** The few words of shell around every process that is started in a container, and the ones that end it. */

/** How a process is started. */
export interface WrapOptions {
	/** Names of variables that the container gives to every process, but that are not in its session. */
	readonly unset: readonly string[];
	/** Whether standard error stays apart from standard output. */
	readonly apart: boolean;
	/** Whether input that the program does not read has to be read by somebody. */
	readonly drainsInput: boolean;
}

/**
 * `argv` as the engine is to start it. The first line on standard error is the process group; nothing but `sh` is needed, and it
 * is replaced by the program.
 */
export function wrapped(argv: readonly string[], { unset, apart, drainsInput }: WrapOptions): string[] {
	const names = unset.filter((name) => /^[A-Za-z_]\w*$/.test(name));
	const forget = names.length === 0 ? "" : `unset -v ${names.join(" ")};`;
	const begin = `${forget}echo $$ >&2;`;
	const [program, flag, script, ...words] = argv;
	// What begins as a script of the same shell needs no second one.
	if (program === shell && flag === "-c" && script !== undefined && apart && !drainsInput) {
		return [shell, "-c", begin + script, ...words];
	}
	// Two streams of the engine have no order between them, so errors are merged here.
	const merge = apart ? "" : " 2>&1";
	return [shell, "-c", begin + (drainsInput ? drained(merge) : `exec "$@"${merge}`), "sh", ...argv];
}

const shell = "/bin/sh";

/** The shell stays, and outlives a signal to its whole group; its child inherits none of that. */
function drained(merge: string): string {
	return `trap : TERM HUP INT QUIT;(exec "$@"${merge});c=$?;PATH=/usr/bin:/bin cat >/dev/null;exit $c`;
}

/** Said when everything has been tried. */
export const doneWord = "hermes-done";

/**
 * Signals a process group, its session, and every process whose environment has the mark. Arguments: mark, group (0 when it is
 * not known), signal, or `end` for: ask, wait a second, force, wait two seconds. Its last word is `doneWord`. Zombies count as gone.
 */
export const killScript = `mark=$1 group=$2 how=$3
members() {
	found=
	for file in /proc/[0-9]*/stat; do
		{ read -r line <"$file"; } 2>/dev/null || continue
		pid=\${file#/proc/} pid=\${pid%/stat} rest=\${line##*) }
		set -- $rest
		case $1 in Z | X) continue ;; esac
		if [ "$group" != 0 ] && { [ "$3" = "$group" ] || [ "$4" = "$group" ]; }; then found="$found $pid"; continue; fi
		case $marked in *" $pid "*) found="$found $pid" ;; esac
	done
}
look() {
	marked=" "
	for file in $(grep -lsF "$mark" /proc/[0-9]*/environ); do
		pid=\${file#/proc/}
		marked="$marked\${pid%/environ} "
	done
	members
}
signal() {
	[ "$group" = 0 ] || kill "-$1" -- "-$group"
	for pid in $found; do kill "-$1" "$pid"; done
} 2>/dev/null
gone_within() {
	left=$1
	while look && [ -n "$found" ]; do
		[ "$left" -gt 0 ] || return 1
		left=$((left - 1))
		sleep 0.05 2>/dev/null || { sleep 1; left=$((left - 19)); }
	done
}
look
trap 'echo ${doneWord}' EXIT
[ -n "$found" ] || exit 0
if [ "$how" != end ]; then signal "$how"; exit 0; fi
signal TERM
gone_within 20 && exit 0
for again in 1 2 3 4; do
	signal KILL
	gone_within 10 && exit 0
done
`;
