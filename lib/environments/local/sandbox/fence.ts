/** The fence around commands of this machine: nothing outside a few folders can be changed, and nobody reached if so wished. */

import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { BackendUnavailable } from "../../backend.ts";
import { memoryFolder } from "../../state-folder-name.ts";
import { bubblewrap } from "./bubblewrap.ts";
import { seatbelt } from "./seatbelt.ts";

/** `write` keeps changes to a few folders; `full` cuts the network off besides. */
export type FenceKind = "write" | "full";

/** What a fence is built of. All paths are absolute, without symbolic links. */
export interface FencePlan {
	readonly kind: FenceKind;
	/** Folders that can be changed; everything else can be read. */
	readonly writable: readonly string[];
	/** Folders that cannot be changed although they may lie in one that can. */
	readonly readOnly: readonly string[];
	/** Where programs are looked for. */
	readonly path: string;
}

/** A program of the system that builds fences. */
export interface FenceBuilder {
	/** In words for the user: what to install, or what the system forbids. */
	readonly missing: string | undefined;
	/** The command line that runs `argv` inside, in the folder it is started in. */
	wrap(argv: readonly string[]): readonly string[];
}

/** What of this machine a fence has to know. */
export interface FencePlace {
	readonly kind: FenceKind;
	/** The folder that the session starts in. */
	readonly folder: string | undefined;
	/** HERMES_HOME. */
	readonly home: string;
	readonly hostEnvironment: Readonly<Record<string, string>>;
}

/** Why there can be no fence on this system; undefined when there can. Starts nothing. */
export function fenceMissing({ PATH = "" }: Readonly<Record<string, string>>): string | undefined {
	return builderFor({ kind: "write", writable: [], readOnly: [], path: PATH }).missing;
}

/**
 * The fence of one sandbox.
 * @throws {BackendUnavailable} When there is no program for it, or it would fence nothing in.
 */
export function planFence(place: FencePlace): FenceBuilder {
	const { kind, hostEnvironment, home } = place;
	const folder = real(place.folder ?? "/");
	if (folder === "/") throw refused(kind, "the session starts in /, and everything would be inside; start in a folder");
	const named = [hostEnvironment.TMPDIR, hostEnvironment.TMP, hostEnvironment.TEMP];
	const temporary = [...named, "/tmp", "/var/tmp", memoryFolder].map((path) => real(path ?? ""));
	const own = ownFolders(home);
	const builder = builderFor({
		kind,
		writable: foldersAmong([folder, ...temporary, ...own]),
		readOnly: foldersAmong([real(home)]).filter((path) => path !== folder),
		path: hostEnvironment.PATH ?? "",
	});
	if (builder.missing !== undefined) throw refused(kind, builder.missing);
	return builder;
}

function foldersAmong(paths: readonly (string | undefined)[]): readonly string[] {
	return [...new Set(paths.flatMap((path) => (path === undefined || path === "/" ? [] : [path])))];
}

/** Nothing ever runs without the fence that was asked for. */
export function refused(kind: FenceKind, why: string): BackendUnavailable {
	return new BackendUnavailable(`Cannot open the local backend with terminal.local_sandbox "${kind}": ${why}`);
}

function builderFor(plan: FencePlan): FenceBuilder {
	return process.platform === "darwin" ? seatbelt(plan) : bubblewrap(plan);
}

/** Checkpoints are made by commands of the session. */
function ownFolders(home: string): readonly (string | undefined)[] {
	const checkpoints = join(home, "checkpoints");
	try {
		mkdirSync(checkpoints, { recursive: true, mode: 0o700 });
	} catch {
		// A home that cannot be written to keeps none.
		return [];
	}
	return [real(checkpoints)];
}

function real(path: string): string | undefined {
	try {
		return path === "" ? undefined : realpathSync(path);
	} catch {
		return undefined;
	}
}
