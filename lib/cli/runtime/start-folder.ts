/** The folder in which a session begins: on this machine one that must exist, elsewhere one that is for the sandbox to find. */

import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { LoadedConfig } from "../../config/load.ts";
import { CommandFailed } from "../exit-codes.ts";
import type { Cli } from "../subcommand.ts";
import type { ConfiguredBackend } from "./find-backend.ts";

/** What decides about it. */
export interface StartFolderOptions {
	readonly config: LoadedConfig;
	readonly configured: ConfiguredBackend;
	/** As the user typed it. */
	readonly typed: string | undefined;
}

/** What the original writes for the current folder. */
const placeholders = ["", ".", "./", "auto", "cwd"];

/** Where docker mounts the current folder when it is told to. */
const workspace = "/workspace";

/**
 * The folder as the sandbox sees it; `~` is the home there.
 * @throws {CommandFailed} When it is one of this machine and does not exist.
 */
export function startFolder(cli: Cli, { config, configured, typed }: StartFolderOptions): string {
	const { backend, settings } = configured;
	const wanted = typed ?? writtenFolder(config);
	if (backend.files === "host") return hostFolder(cli, wanted);
	if (typed !== undefined) return typed;
	if (backend.files === "bind" && mountsCurrentFolder(backend.name, settings)) return workspace;
	if (wanted === undefined) return "~";
	if (backend.files === "sync" || !isOfThisMachine(wanted)) return wanted;
	cli.stderr.write(
		`hermes: terminal.cwd "${wanted}" is a folder of this machine; commands on ${backend.name} start in ~\n`,
	);
	return "~";
}

function writtenFolder(config: LoadedConfig): string | undefined {
	const folder = config.get("terminal.cwd");
	return placeholders.includes(folder.toLowerCase()) ? undefined : folder;
}

/** A setting for the local backend that is still there when a container is used. */
function isOfThisMachine(folder: string): boolean {
	return !/^[~/]/.test(folder) || /^(?:\/Users\/|\/home\/|[A-Za-z]:[\\/])/.test(folder);
}

/** A backend that can do that calls its key after itself, as docker does. */
function mountsCurrentFolder(name: string, settings: unknown): boolean {
	const known = new Map(typeof settings === "object" && settings !== null ? Object.entries(settings) : []);
	return known.get(`${name}_mount_cwd_to_workspace`) === true;
}

function hostFolder({ environment }: Cli, wanted: string | undefined): string {
	const expanded = wanted?.replace(/^~(?=\/|$)/, () => environment.home) ?? "";
	const folder = resolve(currentFolder(), expanded);
	if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return folder;
	throw new CommandFailed(`Cannot start in "${folder}": there is no such folder`);
}

function currentFolder(): string {
	try {
		return process.cwd();
	} catch (cause) {
		throw new CommandFailed("Cannot start in the current folder: it was deleted; cd somewhere else", { cause });
	}
}
