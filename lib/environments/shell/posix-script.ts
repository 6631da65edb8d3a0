/** The POSIX shell as the language of a session, for places without bash: functions and aliases do not outlive a command. */

import { callMark, runMark } from "../call-marks.ts";
import { folderWord, type LoginParts, quote, type ScriptParts, type ShellLanguage } from "./shell-language.ts";

/** Sessions in `sh`: the folder and variables outlive a command. */
export const posix: ShellLanguage = {
	command: commandScript,
	definitions: (variables) => [...variables].map(([name, value]) => `export ${name}=${quote(value)}\n`).join(""),
	login: (path, parts) => [path, "-l", "-c", loginScript(parts)],
	loginWithoutFiles: (path, parts) => [path, "-c", loginScript(parts)],
};

function commandScript({ command, statePath, definitions, commandPath }: ScriptParts): string {
	const load = { file: (path: string) => `. ${quote(path)};`, argument: 'eval "$1";set --;' };
	const before = definitions?.from === "file" ? load.file(definitions.path) : "";
	const inline = definitions?.from === "argument" ? load.argument : "";
	const text = commandPath === undefined ? quote(command) : `"$(cat ${quote(commandPath)})"`;
	return `${before}${inline}trap ${quote(captureScript(statePath))} EXIT;eval ${text}`;
}

function captureScript(path: string): string {
	const calm = `set +eu;unset -v ${runMark} ${callMark};umask 077`;
	const state = String.raw`pwd -P;printf '\0';export -p;printf '\0\0'`;
	return `{ ${calm}; } >/dev/null 2>&1;{ ${state}; } 2>/dev/null >|${quote(path)}`;
}

function loginScript({ cwd, statePath, readFiles }: LoginParts): string {
	const capture = `cd -- ${folderWord(cwd)} >/dev/null 2>&1;unset -v OLDPWD;${captureScript(statePath)}`;
	return `trap ${quote(capture)} EXIT;{ ${[":", ...readFiles].join(";")}; } >/dev/null 2>&1`;
}
