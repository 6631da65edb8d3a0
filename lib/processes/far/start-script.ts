/** The shell script that starts a background process: makes its folder, leaves the supervisor behind, and says what runs. */

import { usualPath } from "./shell-parts.ts";

/**
 * Arguments: folder, id, working folder, kind, columns, rows, the line for script(1), the supervisor, the terminal program, a
 * file to keep a copy of, whether it stays until the supervisor has ended, then the process. Standard input is kept as `command`. Prints `started PID`, `no folder` or
 * `no place`. It starts nothing that holds its own output.
 */
export const startScript = `umask 077
d=$1 id=$2 folder=$3 kind=$4 columns=$5 rows=$6 line=$7 supervisor=$8 terminal=$9
shift 9
copied=$1 stays=$2
shift 2
path=\${PATH-}
PATH=\${PATH:+$PATH:}${usualPath}
cd -- "$folder" 2>/dev/null || { echo 'no folder'; exit 0; }
if [ "$kind" = terminal ] && ! command -v python3 >/dev/null 2>&1 && ! command -v script >/dev/null 2>&1; then
	echo 'no terminal'
	exit 0
fi
mkdir "$d" 2>/dev/null || { echo 'no place'; exit 0; }
cat >"$d/command" && printf %s "$supervisor" >"$d/supervisor" && printf %s "$terminal" >"$d/terminal.py" &&
	mkfifo "$d/in" "$d/life" "$d/pipe" "$d/ready" || { rm -rf "$d"; echo 'no place'; exit 0; }
[ -z "$copied" ] || cat "$copied" >"$d/definitions"
away() {
	if command -v setsid >/dev/null 2>&1; then exec setsid "$@"; fi
	exec perl -e 'use POSIX; POSIX::setsid(); exec { $ARGV[0] } @ARGV' "$@"
}
away /bin/sh "$d/supervisor" "$d" "$id" "$kind" "$columns" "$rows" "$path" "$line" "$@" </dev/null >/dev/null 2>&1 &
read -r pid <"$d/ready" && echo "started $pid"
[ -z "$stays" ] || wait
`;
