/**
 * The shell text that surrounds a session's shell where the host cannot reach the files. POSIX, for `/bin/sh`: it finds the
 * folder, runs the shell as its child, and hands over on standard error what the host would have read from the disk. The child
 * does not inherit that stream: a server that a command leaves behind must not hold it open.
 */

/**
 * Arguments before the shell's own: mark, the session's folder, the file for the state, the wanted folder, `exact` or `nearest`,
 * a file that must be there or nothing, a PATH with the usual programs. Says the mark and one of `at FOLDER`, `above FOLDER`,
 * `missing`, `lost`; then the mark and `left`, and what the shell left, when it left something; then the mark and `done CODE`. Each
 * is ended by NUL. Between them /bin/sh may say words of its own: `Terminated`, of its child. The
 * output ends with the mark and `end`: what comes behind is not of the command itself. A signal to the whole group leaves it
 * alive to tell, and its child inherits no trap. When a job of the command still holds the output, a reader of it stays behind, or
 * the job would die of SIGPIPE as soon as the service has closed its end. Names begin with `__hermes` because the session's variables are around.
 */
export const callScript = `__hermes_old=\${OLDPWD-} __hermes_folder=$4 __hermes_is=at
until CDPATH= cd -P -- "$__hermes_folder" >/dev/null 2>&1; do
	if [ "$5" = exact ]; then printf '%s missing\\0' "$1" >&2; exit 126; fi
	case $__hermes_folder in / | [!/]*) break ;; esac
	__hermes_folder=\${__hermes_folder%/*} __hermes_is=above
	__hermes_folder=\${__hermes_folder:-/}
done
if [ -n "$__hermes_old" ]; then OLDPWD=$__hermes_old; else unset -v OLDPWD; fi
if [ -n "$6" ] && ! [ -r "$6" ]; then printf '%s lost\\0' "$1" >&2; exit 126; fi
if [ -e "$3" ]; then true >"$3"; elif ! [ -d "$2" ]; then PATH=$7 mkdir -m 700 -- "$2"; fi 2>/dev/null
printf '%s %s %s\\0' "$1" "$__hermes_is" "$PWD" >&2
trap : TERM HUP INT QUIT
__hermes_mark=$1 __hermes_state=$3 __hermes_path=$7
shift 7
(exec "$@" 2>&1) 2>/dev/null
__hermes_code=$?
printf '%s end' "$__hermes_mark"
if [ -s "$__hermes_state" ]; then
	printf '%s left\\0' "$__hermes_mark" >&2
	PATH=$__hermes_path cat "$__hermes_state" >&2
fi
printf '%s done %s\\0' "$__hermes_mark" "$__hermes_code" >&2
[ "$__hermes_code" -gt 128 ] || for __hermes_file in /proc/[0-9]*/fd/[12]; do
	case $__hermes_file in /proc/$$/*) continue ;; esac
	[ "$__hermes_file" -ef /proc/$$/fd/1 ] || continue
	(PATH=$__hermes_path; sleep 1; exec cat) </proc/self/fd/1 >/dev/null 2>&1 &
	break
done 2>/dev/null
exit "$__hermes_code"`;

/**
 * Looks around once: arguments are the name for the session's folder and the shells to try. Says that folder, the first shell
 * that is there, and PATH, each ended by NUL; an empty folder when none can be made. Folders of sessions that were killed are
 * swept a day later.
 */
export const greetScript = `umask 077
__hermes_name=$1
shift
for __hermes_folder in /dev/shm "\${TMPDIR:-/tmp}" /tmp /var/tmp "$HOME"; do
	[ -d "$__hermes_folder" ] && [ -w "$__hermes_folder" ] && mkdir "$__hermes_folder/$__hermes_name" 2>/dev/null && break
	__hermes_folder=
done
[ -z "$__hermes_folder" ] || find "$__hermes_folder" -maxdepth 1 -user "$(id -u)" -name 'hermes-session-*' -mmin +1440 \\
	-exec rm -rf {} + </dev/null >/dev/null 2>&1 &
[ -z "$__hermes_folder" ] || __hermes_folder=$__hermes_folder/$__hermes_name
for __hermes_shell in "$@"; do
	__hermes_shell=$(command -v "$__hermes_shell") && break
	__hermes_shell=
done
printf '%s\\0%s\\0%s\\0' "$__hermes_folder" "$__hermes_shell" "$PATH"`;
