/**
 * The shell script that stays with one background process in its sandbox: it keeps the output in files, the input open, and the
 * exit code, whether anybody listens or not.
 */

import { lookText, processMark } from "./shell-parts.ts";

/** Reads of 4 KB at most in one output file; two and a half files are kept. */
const readsPerFile = 2_048;
const keptBytes = 8 * 1024 * 1024;

/**
 * Arguments: folder, id, `pipe` or `terminal`, columns, rows, PATH of the process, the line for script(1), then the process.
 *
 * In the folder: `o.N` holds the output from byte N on; `in` is the input; `life` is held open as long as this runs, and gets
 * a line when there is a reason to look again; `exit` has the code. The input is let go at SIGUSR1.
 */
export const supervisorScript = `d=$1 id=$2 kind=$3 columns=$4 rows=$5 path=$6 line=$7
shift 7
${lookText}
exec 9<>"$d/life"
trap 'exec 8>&-; is_woken=1' USR1
trap 'is_woken=1' HUP INT TERM
prune() {
	for file in "$d"/o.*; do
		[ $((base - \${file##*.})) -le $((${keptBytes} * 2)) ] || rm -f "$file"
	done
}
pump() {
	base=0
	while :; do
		LC_ALL=C dd bs=4096 count=${readsPerFile} of="$d/o.$base" 2>"$d/records"
		records=
		read -r records rest <"$d/records"
		case $records in
		[0-9]*+[0-9]*) [ $((\${records%+*} + \${records#*+})) -ge ${readsPerFile} ] || return 0 ;;
		# The folder is gone: what a process left running writes to nobody, and must not die of it.
		*) exec cat >/dev/null ;;
		esac
		base=$((base + $(wc -c <"$d/o.$base")))
		: >"$d/o.$base"
		prune
		[ ! -e "$d/followed" ] || echo >&9
	done
}
: >"$d/o.0"
pump <"$d/pipe" &
pump=$!
if [ "$kind" = terminal ]; then
	if command -v python3 >/dev/null 2>&1; then
		set -- python3 -I -S "$d/terminal.py" "$d" "$columns" "$rows" "$@"
	else
		calm=
		! env --default-signal=INT,QUIT true 2>/dev/null || calm='env --default-signal=INT,QUIT'
		printf '%s\\n' "$line" >"$d/line"
		set -- $calm env SHELL=/bin/sh script -qfec "stty rows $rows cols $columns 2>/dev/null; tty >'$d/tty'; echo \\$\\$ >'$d/group'; . '$d/line'" /dev/null
	fi
fi
begin() {
	[ -z "$path" ] || export PATH="$path"
	export ${processMark}="$id"
	if command -v setsid >/dev/null 2>&1; then exec setsid "$@"; fi
	exec perl -e 'use POSIX; POSIX::setsid(); exec { $ARGV[0] } @ARGV' "$@"
}
begin "$@" <"$d/in" >"$d/pipe" 2>&1 9>&- &
process=$!
exec 8>"$d/in"
look $$
own=$start
look "$process"
printf '%s\\n' "-$boot" "$$ $own" "$process $start" >"$d/identity.new"
mv "$d/identity.new" "$d/identity"
echo "$process" >"$d/ready"
rm -f "$d/ready"
is_woken=
wait "$process"
code=$?
while [ -n "$is_woken" ]; do
	is_woken=
	wait "$process"
	again=$?
	# What was interrupted has given no code yet; 127 says that the one before was it.
	case $again:$code in 127:129 | 127:130 | 127:138 | 127:143 | 127:158) code=$again ;; 127:*) ;; *) code=$again ;; esac
done
exec 8>&-
# Everything it wrote is taken in, unless somebody else holds its output: then as long as there is something at once.
trap : USR2
{ pause 0.25; kill -USR2 $$; } 9>&- &
timer=$!
wait "$pump"
round=0
before=
while kill -0 "$pump" 2>/dev/null && [ $round -lt 10 ]; do
	round=$((round + 1))
	now=$(ls -ln "$d")
	[ "$now" != "$before" ] || break
	before=$now
	pause 0.1
done
kill "$timer" 2>/dev/null
echo "$code" >"$d/exit.new"
mv "$d/exit.new" "$d/exit"
rm -f "$d/life" "$d/in"
echo >&9
`;
