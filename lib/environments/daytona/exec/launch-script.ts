/**
 * The shell text that runs a process behind a terminal of Daytona's, the one stream there that carries bytes both ways. The service
 * drops whoever reads too slowly, and what it had not sent by then is gone. So the process writes into a pipe, and what comes out of
 * it is sent in pieces, each kept until it is acknowledged: when the connection breaks, it goes on where it was.
 */

import { quoteWord } from "../../../base/shell-quoting.ts";
import { callMark, runMark } from "../../call-marks.ts";
import { killScript } from "../../docker/exec/wrapper.ts";

/** What a process is started with. */
export interface Launch {
	/** Begins the heading of each piece. Nobody else writes it. */
	readonly mark: string;
	/** Begins our own lines in the output of the process. */
	readonly lineMark: string;
	/** A folder of ours, made when it is not there, and one in it for this process. */
	readonly parent: string;
	readonly folder: string;
	readonly run: string;
	readonly call: string;
	/** Sets the variables of the process. */
	readonly environment: string;
	readonly cwd: string;
	readonly argv: readonly string[];
	/** `none`; the number of its bytes, which follow this text; or `pipe`, which somebody else fills. */
	readonly input: "none" | "pipe" | number;
	/** Standard error is told apart, and comes at the end. */
	readonly isApart: boolean;
}

/** The mark as it is found in a stream. It begins with a character that text hardly ever has. */
export function inStream(mark: string): string {
	return `\x1e${mark}`;
}

/**
 * What is typed into the shell that the service starts. It says `mark`, then reads how many bytes the text of the launch has, in a
 * line of its own, and that text. A shell that edits lines would take a tab or a newline for something else.
 */
export function bootLine(mark: string): string {
	return `exec /bin/sh -c 'stty raw -echo; printf "\\036%s\\n" ${mark}; read -r n; eval "$(dd bs=$n count=1 iflag=fullblock 2>/dev/null)"'\r`;
}

/** What the text of a launch needs, besides a shell. */
export const neededPrograms = ["setsid", "mkfifo", "dd", "wc", "cat", "rm", "sleep", "grep"];

/** What a pipe holds. */
const blockBytes = 65_536;

/** The service reads at most 32 KB at a time and keeps 256 readings for us, so three blocks are safe even when it reads less at once. */
const moreBlocks = 2;

const usualPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/**
 * The text of a launch. It says `hello` until it reads `go`, and starts nothing before. Then it reads lines: `a NUMBER` acknowledges
 * a piece, `again` asks for the last one once more, `k ID SIGNAL` signals the process and all it started (`end` for a signal ends them)
 * and is answered by the line `killed ID`, `c` cuts the output off. In the output it says `begin`, and `end CODE` behind what the
 * process itself wrote.
 */
export function launchScript(launch: Launch): string {
	return `${parts.join("\n")}
__hermes_mark=${launch.mark} __hermes_line=${launch.lineMark} __hermes_call=${callMark}=${launch.call}
__hermes_folder=${quoteWord(launch.folder)} __hermes_ender=${quoteWord(killScript)}
__hermes_prepare ${quoteWord(launch.parent)} ${launch.input}
until [ "$__hermes_word" = go ]; do __hermes_head h 0; IFS= read -r __hermes_word || exit 1; done
exec 3<&0 </dev/null
__hermes_listen <&3 &
__hermes_listener=$!
__hermes_stream &
__hermes_streamer=$!
exec 5>"$__hermes_folder/out"
printf '\\036%s begin\\n' "$__hermes_line" >&5
(${processText(launch)}) <${launch.input === "none" ? "/dev/null" : '"$__hermes_folder/in"'} >&5 2>${launch.isApart ? '"$__hermes_folder/err"' : "&5"} 3<&- 5>&-
printf '\\036%s end %s\\n' "$__hermes_line" "$?" >&5
exec 5>&-
wait "$__hermes_streamer"
kill "$__hermes_listener"
rm -rf -- "$__hermes_folder"
rmdir -- ${quoteWord(launch.parent)}`;
}

/** In a session of its own: it must not find our terminal. */
function processText({ cwd, argv, environment, run }: Launch): string {
	const program = quoteWord(argv[0] ?? "");
	return `umask "$__hermes_umask"; PATH=$__hermes_path
cd -- ${quoteWord(cwd)} || { printf 'Cannot start "%s": its folder is gone\\n' ${program}; exit 127; }
${environment}export ${runMark}=${run} "$__hermes_call"
exec "$__hermes_setsid" /bin/sh -c 'echo $$ >"$0"; exec "$@"' "$__hermes_folder/group" ${argv.map(quoteWord).join(" ")}`;
}

/** The folder of all processes goes with the last of them, which may be just when the next one begins. */
const prepare = `__hermes_path=$PATH __hermes_umask=$(umask) __hermes_word=
PATH=$PATH:${usualPath}
umask 077
exec 2>/dev/null
__hermes_setsid=$(command -v setsid)
__hermes_number=0
__hermes_head() { printf '\\036%s %s %s %s\\n' "$__hermes_mark" "$1" "$__hermes_number" "$2"; }
__hermes_fail() { __hermes_head f \${#1}; printf %s "$1"; exit 1; }
__hermes_take() {
	[ "$1" -lt 65536 ] || dd bs=65536 count=$(($1 / 65536)) iflag=fullblock || return
	[ $(($1 % 65536)) -eq 0 ] || dd bs=$(($1 % 65536)) count=1 iflag=fullblock
}
__hermes_prepare() {
	mkdir -p -- "$__hermes_folder" || mkdir -p -- "$__hermes_folder"
	cd / && : >"$__hermes_folder/err" &&
		mkfifo "$__hermes_folder/out" "$__hermes_folder/ack" || __hermes_fail "no folder can be made in $1"
	case $2 in
	none) ;;
	pipe) mkfifo "$__hermes_folder/in" || __hermes_fail "no folder can be made in $1" ;;
	*) __hermes_take "$2" >"$__hermes_folder/in" || __hermes_fail "no space for the input in $1" ;;
	esac
}`;

/**
 * A piece stays in its file until it is acknowledged. What dd says of its size saves a process for each. A pipe holds no more than one
 * block; whoever filled it has more by the time that was read, so what is there now makes the same journey.
 */
const stream = `__hermes_read() {
	LC_ALL=C dd bs=${blockBytes} count=1 <&5 >piece 2>said
	{ read -r __hermes_size; read -r __hermes_size; read -r __hermes_size __hermes_unit; } <said
	if [ "$__hermes_size" = ${blockBytes} ] && [ -n "$1" ]; then
		dd if="$1" bs=${blockBytes} count=${moreBlocks} iflag=nonblock >>piece
		__hermes_unit=
	fi
	[ "$__hermes_unit" = bytes ] || __hermes_size=$(($(wc -c <piece)))
}
__hermes_send() { __hermes_head "$1" "$__hermes_size"; cat piece; }
__hermes_deliver() {
	__hermes_number=$((__hermes_number + 1))
	__hermes_send "$1"
	while read -r __hermes_word __hermes_value <&7; do
		case $__hermes_word in
		again) __hermes_send "$1" ;;
		a) [ "$__hermes_value" != "$__hermes_number" ] || return 0 ;;
		esac
	done
	exit 1
}
__hermes_stream() {
	exec 7<"$__hermes_folder/ack" 5<"$__hermes_folder/out"
	cd -- "$__hermes_folder"
	while __hermes_read out && [ "$__hermes_size" -gt 0 ] && ! [ -e cut ]; do __hermes_deliver o; done
	if [ -e cut ]; then "$__hermes_setsid" cat <&5 >/dev/null & fi
	while [ -n "$(ls killing-*)" ]; do sleep 0.05 || sleep 1; done
	exec 5<err
	while __hermes_read && [ "$__hermes_size" -eq ${blockBytes} ]; do __hermes_deliver e; done
	__hermes_deliver x
}`;

/** What is written into the pipe may have to wait for somebody who reads it; nobody must wait for that. */
const listen = `__hermes_end() {
	__hermes_tries=0
	until [ -s "$__hermes_folder/group" ] || [ "$__hermes_tries" -ge 40 ]; do
		sleep 0.05 || sleep 1
		__hermes_tries=$((__hermes_tries + 1))
	done
	__hermes_group=$(cat "$__hermes_folder/group")
	/bin/sh -c "$__hermes_ender" sh "$__hermes_call" "\${__hermes_group:-0}" "$2" >/dev/null
	rm -f -- "$__hermes_folder/killing-$1"
	printf '\\036%s killed %s\\n' "$__hermes_line" "$1" 9<>"$__hermes_folder/out" >&9
}
__hermes_listen() {
	exec 7>"$__hermes_folder/ack"
	while read -r __hermes_word __hermes_value __hermes_how; do
		case $__hermes_word in
		k)
			: >"$__hermes_folder/killing-$__hermes_value"
			__hermes_end "$__hermes_value" "$__hermes_how" &
			;;
		c)
			: >"$__hermes_folder/cut"
			(printf x 9<>"$__hermes_folder/out" >&9) &
			;;
		*) printf '%s %s\\n' "$__hermes_word" "$__hermes_value" >&7 ;;
		esac
	done
}`;

const parts = [prepare, stream, listen];
