/** Ends running commands, and removes what their sessions keep, when this process is killed so hard that it cannot do it itself. */

import { tmpdir } from "node:os";
import { join } from "node:path";
import { callMark, runMark } from "../call-marks.ts";
import { memoryFolder, stateFolderPrefix } from "../state-folder-name.ts";

/** A helper process that holds our end of a pipe. It is told of calls while they run, and acts when the pipe closes. */
export interface Watchdog {
	/** A call is about to start; from now on its marked processes die with us. */
	begin(call: string): void;
	/** The call's process runs, in the process group of this number. */
	register(call: string, group: number): void;
	/** The call has ended; what it left running on purpose stays. */
	end(call: string): void;
	/** Lets the helper go. */
	close(): void;
}

/**
 * `G` is sparse: call to process group, 0 while it is not known. At end of file the script asks, and 0.3 s later forces, those
 * groups and every process that carries the mark of an unfinished call. Without a good-bye (`q`) it then removes the folders
 * whose names begin with one of its further arguments: exported variables are in them. Only what bash 3.2 has.
 */
export const watchdogScript = `trap '' INT TERM HUP QUIT
G=() bye=
while IFS= read -r line; do
	case $line in
	q) bye=1 ;;
	+*) G[\${line#+}]=0 ;;
	-*) unset "G[\${line#-}]" ;;
	*=*) G[\${line%%=*}]=\${line#*=} ;;
	esac
done
is_unfinished() {
	while IFS= read -r -d '' variable; do
		call=\${variable#${callMark}=}
		case $call in "$variable" | '' | *[!0-9]*) continue ;; esac
		[ -n "\${G[$call]}" ] && return 0
	done <"$1"
	return 1
}
signal_all() {
	for group in "\${G[@]}"; do
		[ "$group" -gt 0 ] && kill "-$1" -- "-$group"
	done
	for file in $(grep -lsF "${runMark}=$2" /proc/[0-9]*/environ); do
		pid=\${file#/proc/}
		is_unfinished "$file" && kill "-$1" "\${pid%/environ}"
	done
}
if [ \${#G[@]} -gt 0 ]; then
	signal_all TERM "$1"
	sleep 0.3
	signal_all KILL "$1"
	sleep 0.05
	signal_all KILL "$1"
fi
[ -z "$bye" ] || exit 0
shift
for prefix; do
	for folder in "$prefix"??????; do
		[ -d "$folder" ] && [ ! -L "$folder" ] && [ -O "$folder" ] && rm -rf -- "$folder"
	done
done
`;

/** How long news that does not matter at once may wait, so that a short command costs one message and not three. */
const newsDelayMs = 20;

/**
 * A watchdog for calls marked with `run`. The helper starts with the first call; where there is no bash there is none, and no
 * command either.
 */
export function createWatchdog(run: string, path: string): Watchdog {
	let helper: Helper | undefined;
	let news = "";
	let timer: Timer | undefined;
	/** Unfinished calls and their groups, to tell a new helper when somebody ended the old one. */
	const unfinished = new Map<string, number>();
	const tellNow = () => {
		clearTimeout(timer);
		timer = undefined;
		const lines = news;
		news = "";
		if (helper?.exitCode === null) return send(helper, lines);
		helper = startHelper(run, path);
		if (helper !== undefined) send(helper, describe(unfinished));
	};
	const tellSoon = () => {
		timer ??= setTimeout(tellNow, newsDelayMs).unref();
	};
	const tellAtExit = () => {
		if (news !== "") tellNow();
	};
	return {
		begin(call) {
			if (helper === undefined) process.on("exit", tellAtExit);
			unfinished.set(call, 0);
			news += `+${call}\n`;
			tellNow();
		},
		register(call, group) {
			unfinished.set(call, group);
			news += `${call}=${group}\n`;
			tellSoon();
		},
		end(call) {
			unfinished.delete(call);
			news += `-${call}\n`;
			tellSoon();
		},
		close() {
			process.off("exit", tellAtExit);
			if (helper === undefined) return;
			tellNow();
			// A good-bye: what is open elsewhere in this process stays.
			send(helper, "q\n");
			helper.stdin.end();
			helper = undefined;
		},
	};
}

function describe(unfinished: ReadonlyMap<string, number>): string {
	return [...unfinished].map(([call, group]) => `${call}=${group}\n`).join("");
}

function send(helper: Helper, lines: string): void {
	helper.stdin.write(lines);
	helper.stdin.flush();
}

type Helper = Bun.Subprocess<"pipe", "ignore", "ignore">;

function startHelper(run: string, path: string): Helper | undefined {
	const bash = Bun.which("bash", { PATH: `${path}:/usr/bin:/bin` });
	if (bash === null) return undefined;
	const folders = [memoryFolder, tmpdir()].map((parent) => join(parent, stateFolderPrefix()));
	const helper = Bun.spawn([bash, "--noprofile", "--norc", "-c", watchdogScript, "hermes-watchdog", run, ...folders], {
		stdio: ["pipe", "ignore", "ignore"],
		detached: true,
		cwd: "/",
		// Not ours: its environment must not carry the mark of a run.
		env: { PATH: `${path}:/usr/bin:/bin` },
	});
	helper.unref();
	return helper;
}
