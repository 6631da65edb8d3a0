/** The shell scripts that act on a background process that runs. Their first argument is its folder. */

import { isSameText, lookText, processMark, usualPath } from "./shell-parts.ts";

const head = `PATH=\${PATH:+$PATH:}${usualPath}
d=$1
${lookText}${isSameText}`;

/**
 * Second argument: the byte to read on from. Output is the output. Standard error says how it stands in its last line: `exit N`,
 * `lost` (its supervisor is gone), `gone` (its folder is), `at N` (what comes before that byte is not kept any more; nothing
 * was read), or nothing at all: count what came, and ask again.
 */
export const followScript = `${head}
offset=$2
say() { echo "$1" >&2; exit 0; }
[ -d "$d" ] || say gone
: >"$d/followed"
finished=
[ ! -e "$d/exit" ] || finished=1
while :; do
	base=-1 least=-1 most=0
	for file in "$d"/o.*; do
		at=\${file##*.}
		case $at in *[!0-9]*) continue ;; esac
		[ "$least" -ge 0 ] && [ "$at" -ge "$least" ] || least=$at
		[ "$at" -lt "$most" ] || most=$at
		[ "$at" -gt "$offset" ] || [ "$at" -lt "$base" ] || base=$at
	done
	[ "$base" -ge 0 ] || { [ "$least" -lt 0 ] || say "at $least"; say lost; }
	[ "$base" -lt "$most" ] || break
	size=$(wc -c <"$d/o.$base") || continue
	tail -c "+$((offset - base + 1))" "$d/o.$base" || exit 0
	offset=$((base + size))
done
if [ -n "$finished" ]; then
	tail -c "+$((offset - base + 1))" "$d/o.$base"
	read -r code <"$d/exit"
	say "exit $code"
fi
if ! identify || ! is_same "$supervisor" "$supervisor_start"; then
	[ ! -e "$d/exit" ] || exit 0
	tail -c "+$((offset - base + 1))" "$d/o.$base"
	say lost
fi
tail -c "+$((offset - base + 1))" -f "$d/o.$base" 2>/dev/null &
tail=$!
{ read -r line <"$d/life"; } 2>/dev/null
kill "$tail" 2>/dev/null
exit 0
`;

/** Standard input goes to the process. Exits 3 when it has ended, 4 when its input is closed. */
export const writeScript = `${head}
[ -p "$d/in" ] && [ ! -e "$d/exit" ] || exit 3
[ ! -e "$d/closed" ] || exit 4
exec cat 1<>"$d/in"
`;

/** Ends the input of the process. Exits 3 when it has ended. */
export const closeScript = `${head}
[ ! -e "$d/exit" ] && identify && is_same "$supervisor" "$supervisor_start" || exit 3
: >"$d/closed"
kill -USR1 "$supervisor"
`;

/** Further arguments: columns and rows. Tells the terminal its new size. */
export const resizeScript = `${head}
read -r tty <"$d/tty" || [ -n "$tty" ] || exit 3
stty -F "$tty" rows "$3" cols "$2" 2>/dev/null || stty -f "$tty" rows "$3" cols "$2"
`;

/**
 * Second argument: the id; third: seconds before it is forced. Asks the process and all that it started to end, forces what
 * does not, and prints `gone`, or `alive` and the numbers of those that could not be ended.
 */
export const killScript = `${head}
id=$2 grace=$3
groups=
if identify; then
	! is_same "$process" "$process_start" || groups=$process
	if [ -n "$groups" ] && [ -r "$d/group" ]; then
		group=
		read -r group <"$d/group"
		groups="$groups $group"
	fi
fi
find_all() {
	found=
	if [ ! -r /proc/self/stat ]; then
		for group in $groups; do ! kill -0 -- "-$group" 2>/dev/null || found="$found $group"; done
		return
	fi
	for file in $(grep -lsF "${processMark}=$id" /proc/[0-9]*/environ) ; do
		pid=\${file#/proc/}
		! look "\${pid%/environ}" || found="$found \${pid%/environ}"
	done
	for file in /proc/[0-9]*/stat; do
		{ read -r stat <"$file"; } 2>/dev/null || continue
		set -- \${stat##*) }
		case \${1:-Z} in Z | X) continue ;; esac
		for group in $groups; do
			[ "$3" != "$group" ] || found="$found \${stat%% *}"
		done
	done
}
signal_all() {
	for group in $groups; do kill "-$1" -- "-$group" 2>/dev/null; done
	[ ! -r /proc/self/stat ] || for pid in $found; do kill "-$1" "$pid" 2>/dev/null; done
}
find_all
signal_all TERM
rounds=0
while find_all; [ -n "$found" ] && [ "$rounds" -lt $((grace * 10)) ]; do
	rounds=$((rounds + 1))
	pause 0.1
done
rounds=0
while [ -n "$found" ] && [ "$rounds" -lt 20 ]; do
	signal_all KILL
	pause 0.1
	find_all
	rounds=$((rounds + 1))
done
[ -z "$found" ] && echo gone || echo "alive$found"
`;

/** Prints the file `state` of the process, then removes the folders it is given, which must be of ours. */
export const removeScript = `PATH=\${PATH:+$PATH:}${usualPath}
[ ! -r "$1/state" ] || cat "$1/state"
for d; do
	case $d in */hermes-job-*) rm -rf -- "$d" ;; esac
done
`;
