/** Names of variables that programs need and that hold no secrets: what passes where everything else is kept back. */

/** SSH_AUTH_SOCK may not pass: whoever has it can log in anywhere. Nor may LD_PRELOAD and its kind. */
const plainNames: ReadonlySet<string> = new Set([
	...["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TERM", "TMPDIR", "TMP", "TEMP"],
	...["HERMES_HOME", "HERMES_PROFILE", "HERMES_CONFIG", "HERMES_ENV"],
	...["SSL_CERT_FILE", "SSL_CERT_DIR", "PYENV_ROOT", "PYENV_VERSION"],
]);
const plainPrefix = /^(?:LC_|XDG_)/;

/** What an activated environment of the user's project consists of. */
const projectNames: ReadonlySet<string> = new Set(["PYTHONPATH", "VIRTUAL_ENV"]);
const projectPrefix = /^CONDA_/;

/** Without these no socket can be opened on Windows, and no program found. */
const windowsNames: ReadonlySet<string> = new Set([
	...["SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "OS", "PROCESSOR_ARCHITECTURE"],
	...["NUMBER_OF_PROCESSORS", "PUBLIC", "ALLUSERSPROFILE", "PROGRAMDATA", "PROGRAMFILES", "PROGRAMFILES(X86)"],
	...["PROGRAMW6432", "APPDATA", "LOCALAPPDATA", "USERPROFILE", "USERDOMAIN", "USERNAME", "HOMEDRIVE", "HOMEPATH"],
	"COMPUTERNAME",
]);

/** What else may pass. */
export interface NeededOptions {
	/** What is active in the user's project counts too. */
	readonly withProject: boolean;
	readonly platform?: NodeJS.Platform;
}

/** Whether programs need the variable of this name. */
export function isNeeded(name: string, { withProject, platform = process.platform }: NeededOptions): boolean {
	return (
		plainNames.has(name) ||
		plainPrefix.test(name) ||
		(withProject && (projectNames.has(name) || projectPrefix.test(name))) ||
		(platform === "win32" && windowsNames.has(name.toUpperCase()))
	);
}

const secretWord = /^(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?|PASSWD|AUTH|DSN|WEBHOOK)$/;

/** Words count, not letters: KEYBOARD_LAYOUT and AUTHOR hold none. */
export function hasSecretWord(name: string): boolean {
	return name
		.toUpperCase()
		.split("_")
		.some((word) => secretWord.test(word));
}
