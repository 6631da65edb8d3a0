/** What a session needs to know of the shell that runs its commands. */

/** Shell text to read first: functions, aliases, and variables that do not fit into the environment. */
export type Definitions =
	| { readonly from: "file"; readonly path: string }
	/** Goes along as the first argument of the script. */
	| { readonly from: "argument"; readonly text: string };

/** What a command's script is made of. */
export interface ScriptParts {
	readonly command: string;
	/** Where the state goes when the shell ends. */
	readonly statePath: string;
	readonly definitions?: Definitions | undefined;
	/** A file that holds the command, when it is too long for an argument. */
	readonly commandPath?: string | undefined;
}

/** What a login's script is made of. */
export interface LoginParts {
	/** The folder to end up in; empty or `~` for the user's home. */
	readonly cwd: string;
	readonly statePath: string;
	/** Statements that read start-up files, besides those that a login shell reads anyway. */
	readonly readFiles: readonly string[];
}

/** A shell as a language. The scripts write the state to the path they are given when they end, however they end. */
export interface ShellLanguage {
	/** The script that runs a command. */
	command(parts: ScriptParts): string;
	/** Text that brings variables and definitions back. One character per byte. */
	definitions(variables: ReadonlyMap<string, string>, definitions: string): string;
	/** The arguments of a login shell; `path` is where the shell is. */
	login(path: string, parts: LoginParts): readonly string[];
	/** The same without start-up files, which may have broken the other one. */
	loginWithoutFiles(path: string, parts: LoginParts): readonly string[];
}

/** `text` as one word of a shell, whatever it holds. */
export function quote(text: string): string {
	return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A folder as one word of a shell, in which a `~` at the beginning is the user's home. */
export function folderWord(folder: string): string {
	if (folder === "" || folder === "~") return '"$HOME"';
	return folder.startsWith("~/") ? `"$HOME"/${quote(folder.slice(2))}` : quote(folder);
}
