/** The environment of a script: what it needs of the session's, and nothing that could be a secret. */

import { isSecretName } from "../config/variable-names.ts";
import type { Shell } from "../environments/shell/shell.ts";
import { isOwnSecret } from "../security/child-environment.ts";

/** Scripts start in the user's project with what is active there, or apart from it. */
export type ScriptMode = "project" | "strict";

/** What may pass by its name. SSH_AUTH_SOCK may not: a script could log in anywhere with it. Nor may LD_PRELOAD and its kind. */
const passed: ReadonlySet<string> = new Set([
	...["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TERM", "TMPDIR", "TMP", "TEMP"],
	...["HERMES_HOME", "HERMES_PROFILE", "HERMES_CONFIG", "HERMES_ENV"],
	...["SSL_CERT_FILE", "SSL_CERT_DIR", "PYENV_ROOT", "PYENV_VERSION"],
]);
const passedPrefix = /^(?:LC_|XDG_)/;

/** What an activated environment of the user's project consists of; not in strict mode. */
const projectNames: ReadonlySet<string> = new Set(["PYTHONPATH", "VIRTUAL_ENV"]);
const projectPrefix = /^CONDA_/;

/** Without these no socket can be opened on Windows, and no program found. */
const windowsNames: ReadonlySet<string> = new Set([
	...["SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "OS", "PROCESSOR_ARCHITECTURE"],
	...["NUMBER_OF_PROCESSORS", "PUBLIC", "ALLUSERSPROFILE", "PROGRAMDATA", "PROGRAMFILES", "PROGRAMFILES(X86)"],
	...["PROGRAMW6432", "APPDATA", "LOCALAPPDATA", "USERPROFILE", "USERDOMAIN", "USERNAME", "HOMEDRIVE", "HOMEPATH"],
	"COMPUTERNAME",
]);

const secretWord = /^(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?|PASSWD|AUTH|DSN|WEBHOOK)$/;

/** How a session's variables are sifted. */
export interface SieveOptions {
	readonly mode: ScriptMode;
	/** Names that the user lets through although they look like secrets; keys of providers never pass. */
	readonly passthrough: readonly string[];
	readonly platform?: NodeJS.Platform;
}

/** Those of `variables` that a script may see: first everything that may hold a secret goes, then all that is not needed. */
export function sifted(
	variables: Readonly<Record<string, string>>,
	{ mode, passthrough, platform = process.platform }: SieveOptions,
): Record<string, string> {
	const wanted = new Set(passthrough.filter((name) => !isOwnSecret(name)));
	const isNeeded = (name: string) =>
		passed.has(name) ||
		passedPrefix.test(name) ||
		(mode === "project" && (projectNames.has(name) || projectPrefix.test(name))) ||
		(platform === "win32" && windowsNames.has(name.toUpperCase()));
	const kept = Object.entries(variables).filter(([name]) => wanted.has(name) || (!mayBeSecret(name) && isNeeded(name)));
	return Object.fromEntries(kept);
}

/** Words count, not letters: KEYBOARD_LAYOUT and AUTHOR hold none. */
function mayBeSecret(name: string): boolean {
	return (
		isSecretName(name) ||
		name
			.toUpperCase()
			.split("_")
			.some((word) => secretWord.test(word))
	);
}

/** Exported variables of a session as text; those that are none are left out. */
export function sessionVariables({ state }: Pick<Shell, "state">): Record<string, string> {
	const texts = [...state.values.variables].flatMap(([name, value]) => {
		const bytes = Buffer.from(value, "latin1");
		const text = bytes.toString("utf8");
		return Buffer.from(text).equals(bytes) ? [[name, text] as const] : [];
	});
	return Object.fromEntries(texts);
}

/** Where programs usually are, for a session that has broken its PATH. */
const usualPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** For short programs of our own in the sandbox. */
export function shellEnvironment({ state }: Pick<Shell, "state">): Record<string, string> {
	const path = state.values.variables.get("PATH");
	return { PATH: path === undefined ? usualPath : `${path}:${usualPath}` };
}
