/** Pieces of shell text that several scripts of background processes share. Only what a POSIX shell has. */

/** Marks everything that one background process started, so that it is found wherever it went. */
export const processMark = "HERMES_JOB";

/** Where programs usually are, for a session that has broken its PATH. */
export const usualPath = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin";

/**
 * `look PID` sets `start`, the moment at which the process began, and fails when it is gone or a zombie. With the boot (`boot`)
 * it tells a process from a later one that got its number.
 */
export const lookText = `boot=
[ ! -r /proc/sys/kernel/random/boot_id ] || read -r boot </proc/sys/kernel/random/boot_id
look() {
	start=
	if [ -r /proc/self/stat ]; then
		{ read -r stat <"/proc/$1/stat"; } 2>/dev/null || return 1
		set -- \${stat##*) }
		case \${1:-Z} in Z | X) return 1 ;; esac
		start=\${20}
	else
		start=$(ps -o lstart= -p "$1" 2>/dev/null | tr ' ' _)
		[ -n "$start" ]
	fi
}
pause() { sleep "$1" 2>/dev/null || sleep 1; }
`;

/** `is_same PID START`: the process of that number is still the one that began then. */
export const isSameText = `is_same() {
	look "$1" && [ "$start" = "$2" ]
}
# The supervisor, the process, and whether this is still the boot they ran in.
identify() {
	{ read -r known; read -r supervisor supervisor_start; read -r process process_start; } <"$d/identity" 2>/dev/null || return 1
	[ "$known" = "-$boot" ]
}
`;
