/** The state folder of backends whose files are the host's own. */

import {
	accessSync,
	constants,
	mkdtempSync,
	readdirSync,
	readFileSync,
	realpathSync,
	rmSync,
	statSync,
	unlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { memoryFolder, pidNamespace, stateFolderOwner, stateFolderPrefix } from "../state-folder-name.ts";
import type { SessionFiles } from "./route.ts";

/** The session's files, and what the host sees of the rest. */
export interface HostStateFolder extends SessionFiles, Disposable {
	/** What a command wrote to a reserved path, which is removed; undefined when it wrote nothing. */
	take(path: string): Buffer | undefined;
	/** The nearest folder that exists at `path` or above it, as its real path without symbolic links. */
	nearestFolder(path: string): NearestFolder;
}

/** An existing folder, and whether it is the one that was asked for. */
export interface NearestFolder {
	readonly path: string;
	readonly isAsked: boolean;
}

/** A folder whose process seems dead is left alone this long where its number may be that of another pid namespace. */
const staleAfterMs = 3_600_000;

/** Makes a 0700 folder below /dev/shm or the temporary folder that `environment` names, and sweeps what a killed run left. */
export function openHostStateFolder(environment: Readonly<Record<string, string>>): HostStateFolder {
	const parent = writableParent(environment);
	sweep(parent);
	const prefix = join(parent, stateFolderPrefix());
	let folder = mkdtempSync(prefix);
	let count = 0;
	const next = () => {
		// A logout or a cleaning job may have removed it.
		if (!isFolder(folder)) folder = mkdtempSync(prefix);
		return join(folder, String(count++));
	};
	return {
		reserve: next,
		take(path) {
			const bytes = readIfThere(path);
			if (bytes !== undefined) unlinkSync(path);
			return bytes;
		},
		place: async (content) => {
			const path = next();
			writeFileSync(path, content, { mode: 0o600, flag: "wx" });
			return path;
		},
		remove: async (path) => rmSync(path, { force: true }),
		nearestFolder,
		[Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
	};
}

/** The first of TMPDIR, TMP and TEMP that is absolute and writable, else /tmp, else what the system says. */
export function temporaryParent(environment: Readonly<Record<string, string>>): string {
	const named = [environment.TMPDIR, environment.TMP, environment.TEMP, "/tmp"];
	return named.find((path) => path !== undefined && isAbsolute(path) && isWritable(path)) ?? tmpdir();
}

function writableParent(environment: Readonly<Record<string, string>>): string {
	return isWritable(memoryFolder) ? memoryFolder : temporaryParent(environment);
}

function sweep(parent: string): void {
	const namespace = pidNamespace();
	for (const name of readdirSync(parent)) {
		const owner = stateFolderOwner(name);
		if (owner === undefined || isAlive(owner.pid)) continue;
		const path = join(parent, name);
		const found = statSync(path, { throwIfNoEntry: false });
		if (found === undefined || !found.isDirectory() || found.uid !== process.getuid?.()) continue;
		const isSure = owner.namespace === namespace;
		if (isSure || Date.now() - found.mtimeMs > staleAfterMs) rmSync(path, { recursive: true, force: true });
	}
}

function isAlive(pid: number): boolean {
	try {
		return process.kill(pid, 0);
	} catch (cause) {
		// EPERM: it lives, as another user.
		return codeOf(cause) !== "ESRCH";
	}
}

function nearestFolder(path: string): NearestFolder {
	for (let folder = path; ; folder = dirname(folder)) {
		if (isFolder(folder)) return { path: realpathSync(folder), isAsked: folder === path };
		if (folder === dirname(folder)) return { path: "/", isAsked: false };
	}
}

function isFolder(path: string): boolean {
	try {
		return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
	} catch {
		// A parent that may not be entered, or is a file.
		return false;
	}
}

function isWritable(folder: string): boolean {
	try {
		accessSync(folder, constants.W_OK | constants.X_OK);
		return isFolder(folder);
	} catch {
		return false;
	}
}

function readIfThere(path: string): Buffer | undefined {
	try {
		return readFileSync(path);
	} catch (cause) {
		if (codeOf(cause) === "ENOENT") return undefined;
		throw cause;
	}
}

function codeOf(cause: unknown): string | undefined {
	return cause instanceof Error && "code" in cause ? String(cause.code) : undefined;
}
