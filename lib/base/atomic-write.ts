/** Replaces a file so that a reader, and the next start after a crash, sees the old content or the new and nothing between. */

import {
	closeSync,
	fchmodSync,
	fchownSync,
	fsyncSync,
	openSync,
	readdirSync,
	realpathSync,
	renameSync,
	rmSync,
	type Stats,
	statSync,
	writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";

/** Permissions of the file that is written. */
export interface FileModes {
	/** Of a file that did not exist; 0600 unless said otherwise. */
	readonly newMode?: number;
	/** Bits that an existing file may keep; all of them unless said otherwise. */
	readonly keptBits?: number;
}

/**
 * Writes `content` beside `path`, forces it to the disk and renames it. An existing file keeps its mode and owner. A symbolic link stays a link: the file it points to is replaced. Temporary files that dead
 * writers of the same file left behind are removed.
 * @throws The error of the file system; then `path` is unchanged.
 */
export function writeFileAtomically(path: string, content: string | Uint8Array, modes: FileModes = {}): void {
	const target = finalPath(path);
	const existing = statSync(target, { throwIfNoEntry: false });
	sweepTemporaryFiles(target);
	const temporary = join(dirname(target), `.${basename(target)}.${process.pid}.${crypto.randomUUID().slice(0, 8)}.tmp`);
	try {
		const mode = existing ? existing.mode & (modes.keptBits ?? 0o777) : (modes.newMode ?? 0o600);
		writeDurably(temporary, content, { mode, ...(existing && { owner: existing }) });
		renameSync(temporary, target);
	} catch (error) {
		rmSync(temporary, { force: true });
		throw error;
	}
	syncFolder(dirname(target));
}

function writeDurably(
	path: string,
	content: string | Uint8Array,
	{ mode, owner }: { readonly mode: number; readonly owner?: Pick<Stats, "uid" | "gid"> },
): void {
	const descriptor = openSync(path, "wx", 0o600);
	try {
		writeFileSync(descriptor, content);
		if (owner && process.getuid?.() === 0) fchownSync(descriptor, owner.uid, owner.gid);
		// Not at opening: the umask would take bits that the old file had.
		fchmodSync(descriptor, mode);
		fsyncSync(descriptor);
	} finally {
		closeSync(descriptor);
	}
}

/** Where `path` leads; itself when it does not exist or is a link to nothing. */
function finalPath(path: string): string {
	try {
		return realpathSync(path);
	} catch {
		return path;
	}
}

/** A rename is only durable once its folder is; systems that cannot sync a folder (Windows) do it by themselves. */
function syncFolder(folder: string): void {
	if (process.platform === "win32") return;
	const descriptor = openSync(folder, "r");
	try {
		fsyncSync(descriptor);
	} finally {
		closeSync(descriptor);
	}
}

function sweepTemporaryFiles(target: string): void {
	const prefix = `.${basename(target)}.`;
	for (const name of readdirSync(dirname(target))) {
		const writer = name.startsWith(prefix) && /^(\d+)\.[0-9a-f]{8}\.tmp$/.exec(name.slice(prefix.length))?.[1];
		if (writer && !isAlive(Number(writer))) rmSync(join(dirname(target), name), { force: true });
	}
}

function isAlive(pid: number): boolean {
	try {
		return process.kill(pid, 0);
	} catch (error) {
		return error instanceof Error && "code" in error && error.code === "EPERM";
	}
}
