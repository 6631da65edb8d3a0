/**
 * The shell text that runs in a managed sandbox. The service runs a command to its end and then tells what it said, as text, so a
 * process of ours does not run as such a command: it is started beside it, writes to a pipe that somebody in the sandbox reads
 * into pieces on the disk, and short commands fetch what there is, from a place on that we name. Every script may run twice.
 * POSIX; besides the shell it takes base64, dd, mkfifo and head.
 */

import { quoteWord } from "../../base/shell-quoting.ts";
import { killScript } from "../docker/exec/wrapper.ts";

/** What the sandbox has of what not every image has. */
export interface SandboxTools {
	/** Words before a program that take it out of the service's session; empty where nothing does. */
	readonly apart: string;
	/** GNU `timeout`, which ends a program by itself. */
	readonly hasTimeout: boolean;
	/** `base64 -w0` writes no line ends. */
	readonly hasLongLines: boolean;
}

/** A piece holds this many reads of 64 KB at the most, and this many pieces wait to be fetched: then the program waits too. */
const readsOfPiece = 16;
const mostPieces = 4;

/**
 * Looks around. Arguments: mark, name of the folder to make. Says the mark and `at FOLDER`, the mark and `tool NAME` for each,
 * then the mark and `exports` before a list of what the shell exports; or the mark and `fail WHY`.
 */
export const greetScript = `m=$1 n=$2
for t in base64 dd mkfifo head tail wc; do
	command -v "$t" >/dev/null || { printf '\\n%s fail there is no %s in the image\\n' "$m" "$t"; exit 0; }
done
f=
for d in "\${TMPDIR:-/tmp}" /tmp /var/tmp "$HOME"; do
	[ -d "$d" ] && [ -w "$d" ] && mkdir -m 700 "$d/$n" 2>/dev/null && f=$d/$n && break
	[ -d "$d/$n" ] && f=$d/$n && break
done
[ -n "$f" ] || { printf '\\n%s fail no folder is writable there\\n' "$m"; exit 0; }
printf '\\n%s at %s\\n' "$m" "$f"
{ command -v setsid && printf '%s tool setsid\\n' "$m" >&3; } 3>&1 >/dev/null
env --default-signal=INT true 2>/dev/null && printf '%s tool signals\\n' "$m"
case $(timeout --version 2>/dev/null) in *coreutils*) printf '%s tool timeout\\n' "$m" ;; esac
base64 -w0 </dev/null >/dev/null 2>&1 && printf '%s tool lines\\n' "$m"
printf '%s exports\\n' "$m"
unset m n t f d
export -p`;

/** Reads the output of a program into pieces until it ends, or nobody is interested in more: then it is dropped. */
const pumpText = `pump() {
	k=0
	while [ -p out ]; do
		while [ "$k" -ge ${mostPieces} ] && [ -e "o.$((k - ${mostPieces}))" ]; do sleep 0.05 || sleep 1; done
		r=$(LC_ALL=C dd bs=65536 count=${readsOfPiece} of="o.$k" 2>&1) || break
		# A warning, then "FULL+PART records in": fewer reads than it was to make are the end.
		r=\${r%% records in*}
		r=\${r##*[!0-9+]}
		case $r in
		[0-9]*+*[0-9]) r=$((\${r%+*} + \${r#*+})) ;;
		*) r=${readsOfPiece}; [ -s "o.$k" ] || r=0 ;;
		esac
		[ "$r" -eq ${readsOfPiece} ] || { : >eof; exit; }
		k=$((k + 1))
	done
	exec cat >/dev/null
}`;

/** Hands the pieces of an input on to a program, in their order, until it is told that there are no more. */
const feedText = `feed() {
	n=0 t=0
	while [ -p in ]; do
		if [ -e "i.$n" ]; then
			cat "i.$n" || exit
			rm -f "i.$n"
			n=$((n + 1)) t=0
		elif [ -e i.end ]; then
			exit
		else
			t=$((t + 1)) s=0.02
			[ "$t" -lt 100 ] || s=0.2
			sleep "$s" || sleep 1
		fi
	done
}`;

/** Whatever its programs do, what a program itself wrote stands before the mark: a pipe keeps the order. */
function superviseText({ apart, hasTimeout }: SandboxTools): string {
	const run = `${apart} /bin/sh ./run "$3"`;
	const limited = `${apart} timeout -k 2 "$4" /bin/sh ./run "$3"`;
	const start = hasTimeout ? `if [ "$4" = 0 ]; then ${run}; else ${limited}; fi` : run;
	return `${pumpText}
${feedText}
cd -- "$2" || exit
pump <out &
exec 9>out
[ ! -p in ] || feed >in 9>&- &
{ [ "$5" != apart ] || exec 2>ctl
${start}
} <"$6" >&9 2>&9 9>&-
c=$?
trap '' PIPE
printf '\\036%s' "$1" >&9
exec 9>&-
[ ! -p in ] || rm -f in
echo "$c" >end`;
}

/**
 * Tells what there is. Variables: m mark, k piece, o offset in it, p offset in the control file, l bytes at most, w milliseconds to
 * wait for something, g milliseconds after the end of the program to wait for more.
 */
const fetchText = `fetch() {
	j=$((k - 1))
	while [ "$j" -ge 0 ] && [ -e "o.$j" ]; do rm -f "o.$j"; j=$((j - 1)); done
	t=0 s=0.005 q=$w
	while ! [ -e eof ] && ! [ -e "o.$((k + 1))" ]; do
		n=
		[ -s "o.$k" ] && [ "$(wc -c <"o.$k")" -gt "$o" ] && n=30
		[ -n "$n" ] || ! [ -s end ] || n=$g
		[ -z "$n" ] || [ "$q" -le $((t + n)) ] || q=$((t + n))
		[ "$t" -lt "$q" ] || break
		[ "$t" -lt 20 ] || s=0.02
		[ "$t" -lt 400 ] || s=0.1
		sleep "$s" || { sleep 1; s=1; }
		case $s in 0.005) t=$((t + 6)) ;; 0.02) t=$((t + 21)) ;; 0.1) t=$((t + 101)) ;; *) t=$((t + 1000)) ;; esac
	done
	c=- e=0
	[ -s end ] && read -r c <end
	while [ -e "o.$k" ] && [ "$l" -gt 0 ]; do
		f=
		{ [ -e "o.$((k + 1))" ] || [ -e eof ]; } && f=1
		z=$(($(wc -c <"o.$k")))
		n=$((z - o))
		[ "$n" -le "$l" ] || n=$l
		[ "$n" -le 0 ] || say o "$n" "$o" "o.$k" "\${f:+$z}"
		o=$((o + n)) l=$((l - n))
		[ -n "$f" ] && [ "$o" -ge "$z" ] || break
		k=$((k + 1)) o=0
	done
	[ -e eof ] && ! [ -e "o.$k" ] && e=1
	if [ -s ctl ]; then
		f=$c z=$(($(wc -c <ctl)))
		n=$((z - p))
		[ "$n" -le 0 ] || say c "$n" "$p" ctl "\${f#-}"
		p=$((p + n))
	fi
	printf '\\n%s . %s %s %s %s %s\\n' "$m" "$c" "$e" "$k" "$o" "$p"
}
say() {
	printf '\\n%s %s ' "$m" "$1"
	# What still grows must not be taken as a whole: it would be more than was counted.
	if [ -n "$5" ] && [ "$3" = 0 ] && [ "$2" = "$z" ]; then text <"$4"; else tail -c "+$(($3 + 1))" "$4" | head -c "$2" | text; fi
}`;

function linesText({ hasLongLines }: SandboxTools): string {
	return `text() { ${hasLongLines ? "base64 -w0" : "base64 | tr -d '\\n'"}; }`;
}

/**
 * Starts a program unless it was started, and fetches. Arguments: mark, the program's folder, bytes of the run file in the input,
 * seconds until it is ended or 0, `apart` or `merged`, the input (`none`, `along`, `pipe`, or how many pieces of it were brought before), bytes at most, milliseconds to
 * wait, then folders to remove.
 */
export function launchScript(tools: SandboxTools): string {
	return `${fetchText}
${linesText(tools)}
m=$1 d=$2 r=$3 y=$4 h=$5 x=$6 l=$7 w=$8 k=0 o=0 p=0 g=40
shift 8
u=$(umask)
umask 077
[ -d "\${d%/*}" ] || mkdir -p "\${d%/*}"
[ "$#" = 0 ] || rm -rf -- "$@"
if mkdir "$d" 2>/dev/null; then
	cd -- "$d" || exit
	i=in
	{ case $x in
	along) base64 -d >all && head -c "$r" all >run && tail -c "+$((r + 1))" all >in && rm -f all ;;
	none) i=/dev/null; base64 -d >run ;;
	pipe) base64 -d >run && mkfifo in ;;
	*) base64 -d >run && j=0 && while [ "$j" -lt "$x" ]; do cat "$d.in.$j" && rm -f "$d.in.$j" || exit; j=$((j + 1)); done >in ;;
	esac && [ "$(wc -c <run)" -eq "$r" ] && mkfifo out; } 2>/dev/null || { cd /; rm -rf -- "$d"; printf '\\n%s fail its files cannot be written there\\n' "$m"; exit 0; }
	${tools.apart} /bin/sh -c ${quoteWord(superviseText(tools))} sh "$m" "$d" "$u" "$y" "$h" "$i" </dev/null >/dev/null 2>&1 &
fi
cd -- "$d" 2>/dev/null || { printf '\\n%s gone\\n' "$m"; exit 0; }
fetch 2>/dev/null`;
}

/** Fetches. Arguments: mark, folder, piece, offset, offset of control, bytes at most, milliseconds to wait, the same after the end. */
export function readScript(tools: SandboxTools): string {
	return `${fetchText}
${linesText(tools)}
m=$1 d=$2 k=$3 o=$4 p=$5 l=$6 w=$7 g=$8
cd -- "$d" 2>/dev/null || { printf '\\n%s gone\\n' "$m"; exit 0; }
fetch 2>/dev/null`;
}

/**
 * Brings a piece of input. Arguments: mark, file, its bytes, and the folder to make when there is none, or nothing. Says the mark and
 * `kept`, or `gone` when the folder is not there (any more).
 */
export const bringScript = `umask 077
[ -z "$4" ] || [ -d "$4" ] || mkdir -p "$4"
[ -d "\${2%/*}" ] || { printf '\\n%s gone\\n' "$1"; exit 0; }
base64 -d >"$2.new" && [ "$(wc -c <"$2.new")" -eq "$3" ] && mv "$2.new" "$2" && printf '\\n%s kept\\n' "$1"`;

/**
 * Ends the programs of a call. Arguments: its folder, its mark, `end` or a signal, and `for-good` when it must not start any more
 * either: a start that is still on its way finds the folder, and takes the program for one that has ended.
 */
export const endScript = `d=$1
[ "$4" != for-good ] || { umask 077; mkdir "$d" 2>/dev/null && { : >"$d/eof"; echo 130 >"$d/end"; exit 0; }; }
[ -d "$d" ] || exit 0
n=0
until [ -s "$d/pid" ] || [ "$n" -ge 20 ]; do n=$((n + 1)); sleep 0.05 || sleep 1; done 2>/dev/null
g=0
[ ! -s "$d/pid" ] || read -r g <"$d/pid"
set -- "$2" "$g" "$3"
${killScript}`;

/** `script` with its arguments, as the service is to run it. */
export function commandLine(script: string, words: readonly string[]): string {
	return `/bin/sh -c ${[script, "sh", ...words].map(quoteWord).join(" ")}`;
}
