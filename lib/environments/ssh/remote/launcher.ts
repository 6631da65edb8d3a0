/**
 * The text that a remote login shell is given to start a program. Whatever shell that is, it only has to start `/bin/sh` with
 * words; what stands in there is POSIX.
 */

import { quoteWord } from "../../../base/shell-quoting.ts";
import { callMark, runMark } from "../../call-marks.ts";

/** What a program is started with. */
export interface Launch {
	/** Letters, digits and hyphens that nobody else writes. Before them, the login shell's own files may have said something. */
	readonly mark: string;
	readonly run: string;
	readonly call: string;
	/** A file to read that sets the program's variables; undefined when it has none besides the login's. */
	readonly environment: EnvironmentFile | undefined;
	readonly cwd: string;
	/** For messages. */
	readonly program: string;
	/** The program is /bin/sh with this script: it goes on where we are, which saves a start. Not with `reportsEnd`. */
	readonly script?: string | undefined;
	/** `merged`: errors go where the output goes. `terminal`: there is only one stream. */
	readonly streams: "merged" | "apart" | "terminal";
	readonly hasInput: boolean;
	/** The terminal there is like the one here, which is none: it has to be set up. */
	readonly terminalSize?: { readonly columns: number; readonly rows: number };
	/** Whether the end has to be told in words, because the service does not tell it reliably. */
	readonly reportsEnd: boolean;
}

/** A file in the sandbox's folder on the host. */
export interface EnvironmentFile {
	readonly path: string;
	/** Its content comes as the first bytes of the input, this many. */
	readonly upload: { readonly bytes: number } | undefined;
	/** Files that nobody needs any more. */
	readonly remove: readonly string[];
	/** It is read once. */
	readonly isTemporary: boolean;
}

/** The shells whose words in single quotes are those of POSIX. In others (fish, csh) backslash or `!` mean something there. */
const posixShells: ReadonlySet<string> = new Set(["sh", "bash", "dash", "ash", "ksh", "mksh", "zsh"]);

/** The mark as it is found in a stream. It begins with a character that text hardly ever has: a reader has to wait at each one. */
export function inStream(mark: string): string {
	return `\x1e${mark}`;
}

/** The same, for the format of printf. */
function printed(mark: string): string {
	return `\\036${mark}`;
}

/**
 * A script for `/bin/sh` that starts its arguments as a program. On the control stream (the terminal, when there is one) it says
 * the mark and `started GROUP`, or `lost` when the environment file is gone, or `full` when it cannot be written; with
 * `reportsEnd` also `ended CODE`. The output begins with the mark alone, and with `reportsEnd` what the program itself wrote ends
 * with it too: a pipe keeps the order, whatever else comes late.
 */
export function launchScript(launch: Launch): string {
	const { cwd, streams, environment, mark, hasInput } = launch;
	const isTerminal = streams === "terminal";
	const toControl = isTerminal ? "" : " >&2";
	const load = environment === undefined ? "" : loadScript(environment, launch, toControl);
	const marks = `export ${runMark}=${launch.run} ${callMark}=${launch.call}; `;
	const said = printed(mark);
	const start = `${isTerminal ? "" : `printf '${said}\\n'; `}printf '${said} started %s\\n' $$${toControl}; `;
	const tell = launch.reportsEnd ? `printf '${said}\\n'; printf '${said} ended 127\\n' >&2; ` : "";
	const gone = `{ ${start}printf 'Cannot start "%s": its folder is gone\\n' ${quoteWord(launch.program)}; ${tell}exit 127; }`;
	// First, since it sets OLDPWD, which the session has its own idea of.
	const folder = `cd -- ${quoteWord(cwd)} 2>/dev/null || ${gone}; `;
	const size = launch.terminalSize;
	const resize = size === undefined ? "" : `stty sane 38400 cols ${size.columns} rows ${size.rows} 2>/dev/null; `;
	const redirect = `${streams === "merged" ? " 2>&1" : ""}${hasInput || isTerminal ? "" : " </dev/null"}`;
	return resize + folder + load + marks + start + runScript(launch, redirect);
}

function runScript({ mark, reportsEnd, script }: Launch, redirect: string): string {
	const said = printed(mark);
	// The shell stays and outlives a signal to its whole group, so that it can tell the end; its child inherits none of that.
	if (reportsEnd)
		return `trap : TERM HUP INT QUIT USR1 USR2 ALRM; (exec "$@"${redirect}); c=$?; printf '${said}\\n'; printf '${said} ended %s\\n' $c >&2; exit $c`;
	if (script === undefined) return `exec "$@"${redirect}`;
	return `${redirect === "" ? "" : `exec${redirect}`}\n${script}`;
}

function loadScript({ path, upload, remove, isTemporary }: EnvironmentFile, launch: Launch, toControl: string): string {
	const file = quoteWord(path);
	const stop = (word: string) => `{ printf '${printed(launch.mark)} ${word}\\n'${toControl}; exit 1; }; `;
	if (upload === undefined) return `[ -r ${file} ] || ${stop("lost")}. ${file}; `;
	const sweep = remove.length === 0 ? "" : `rm -f -- ${remove.map(quoteWord).join(" ")}; `;
	// dd takes exactly what it is told to; what comes after is the program's own input.
	const take = launch.hasInput ? `dd ibs=1 obs=4096 count=${upload.bytes} 2>/dev/null` : "cat";
	const drop = isTemporary ? `rm -f -- ${file}; ` : "";
	return `${sweep}(umask 077; ${take} >${file}) || ${stop("full")}. ${file}; ${drop}`;
}

/** The line for the login shell that starts `script` with `words` as its arguments and `sh` as `$0`. */
export function loginLine(loginShell: string, script: string, words: readonly string[]): string {
	const name = loginShell.slice(loginShell.lastIndexOf("/") + 1);
	if (posixShells.has(name)) return `exec /bin/sh -c ${[script, "sh", ...words].map(quoteWord).join(" ")}`;
	// All shells agree on a single-quoted word that holds none of these; printf brings them back.
	const whole = `set -- ${words.map(quoteWord).join(" ")}; ${script}`;
	const safe = whole.replace(/[\\'!\n]/g, (character) => `\\0${character.charCodeAt(0).toString(8).padStart(3, "0")}`);
	return `exec /bin/sh -c 'eval "$(printf %b "$1")"' sh '${safe}'`;
}
