/**
 * bash as the language of a session. Only what bash 3.2 has: macOS still ships it. `\builtin` keeps the user's aliases and
 * functions out of our text.
 */

import { callMark, runMark } from "../call-marks.ts";
import {
	type Definitions,
	folderWord,
	type LoginParts,
	quote,
	type ScriptParts,
	type ShellLanguage,
} from "./shell-language.ts";

/** Sessions in bash: variables, functions and aliases outlive a command. */
export const bash: ShellLanguage = {
	command: commandScript,
	definitions: definitionsScript,
	login: (path, parts) => [path, "-l", "-c", loginScript(parts)],
	loginWithoutFiles: (path, parts) => [path, "--noprofile", "--norc", "-c", loginScript({ ...parts, readFiles: [] })],
};

/**
 * The script for `bash -c`: it loads the session's definitions, and an EXIT trap writes the state, so that `exit 3` and
 * `set -e` keep it too. It starts no process besides bash. One line, so that the user's line numbers stay right.
 */
export function commandScript({ command, statePath, definitions, commandPath }: ScriptParts): string {
	const load = loadText(definitions);
	// eval reads the command when the aliases are known, and keeps a heredoc or a quote that never ends from reaching ours.
	const text = commandPath === undefined ? quote(command) : `"$(<${quote(commandPath)})"`;
	const trap = `\\builtin trap ${quote(captureScript(statePath))} EXIT;`;
	return `\\builtin shopt -s expand_aliases;${load}${trap}\\builtin eval ${text}`;
}

function loadText(definitions: Definitions | undefined): string {
	if (definitions === undefined) return "";
	if (definitions.from === "file") return `\\builtin . ${quote(definitions.path)} >/dev/null 2>&1;`;
	return String.raw`\builtin eval "$1" >/dev/null 2>&1;\builtin set --;`;
}

/** Writes folder, exported variables, and functions with aliases to `path`, each ended by NUL. */
export function captureScript(path: string): string {
	const calm = String.raw`\builtin trap - DEBUG ERR RETURN;\builtin set +euvx;\builtin unset -v ${runMark} ${callMark};\builtin umask 077`;
	const end = String.raw`\builtin printf '\0'`;
	const definitions = String.raw`\builtin declare -f;\builtin declare -Fx;\builtin alias -p`;
	const state = String.raw`\builtin pwd -P;${end};\builtin export -p;${end};${definitions};${end}`;
	// stderr first: a full disk must not add a line to the command's output. `>|` because of noclobber.
	return `{ ${calm}; } >/dev/null 2>&1;{ ${state}; } 2>/dev/null >|${quote(path)}`;
}

/** The definitions file: variables that the environment cannot hold, functions, aliases. One character per byte. */
export function definitionsScript(variables: ReadonlyMap<string, string>, definitions: string): string {
	const exports = [...variables].map(([name, value]) => `\\builtin export ${name}=${quote(value)}\n`);
	return `${exports.join("")}${definitions}`;
}

/** The script of the login shell: start-up files, then the wanted folder, then the state and the path of bash. */
export function loginScript(options: LoginParts): string {
	// In the trap, because a start-up file may end the shell anywhere.
	const settle = `\\builtin cd -- ${folderWord(options.cwd)} >/dev/null 2>&1;`;
	const capture = `${settle}\\builtin unset -v OLDPWD;${captureScript(options.statePath)}`;
	const trap = `\\builtin trap ${quote(capture)} EXIT`;
	// A start-up file may set options, traps or another folder for an interactive shell; none of it may reach the session.
	const calm = String.raw`\builtin set +euvx;\builtin trap - DEBUG ERR RETURN`;
	const files = options.readFiles.map((statement) => `${statement};${calm}`);
	const helpers = String.raw`for REPLY in $(\builtin compgen -A function);do case $REPLY in __*);;_*)\builtin unset -f "$REPLY";;esac;done`;
	// One line: after `set -t` in a start-up file bash reads no second one.
	return `{ ${calm};${trap};${[...files, helpers].join(";")};\\builtin unset -v REPLY;${trap}; } >/dev/null 2>&1`;
}
