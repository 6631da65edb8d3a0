/** Reading a file of a session without starting a process: on this machine, or through the helper of the sandbox. */

import { constants } from "node:fs";
import { type FileHandle, open, realpath } from "node:fs/promises";
import { settledWithin } from "../../base/settled-within.ts";
import { ProcessLost } from "../backend.ts";
import { FileError, type HelperFiles } from "../sandbox-helper.ts";
import type { Shell } from "./shell.ts";

/** A regular file, as it is now. */
export interface DirectFile {
	/** Absolute, links followed. */
	readonly path: string;
	/** Differs after every change of the file: nanoseconds of its last change, size and number, as `stat` prints them. */
	readonly stamp: string;
	readonly bytes: Uint8Array;
	/** The session's, as the sandbox sees them. */
	readonly folders: { readonly home: string; readonly hermesHome: string };
}

/** Reads the file at `path` (absolute, below `~`, or relative to the session's folder); undefined when that takes a process. */
export type ReadDirectly = (path: string) => Promise<DirectFile | undefined>;

/** A longer file is not sent as a whole where a process can pick its lines. */
const nearBytes = 4 * 1024 * 1024;
const farBytes = 256 * 1024;
/** A file system that does not answer for so long is left to a process, which can be ended. */
const patienceMs = 5_000;

/** Only what can be read at once is answered: no devices, nothing of the kernel, nothing empty, missing or too long. */
export async function readDirectly(shell: Shell, path: string): Promise<DirectFile | undefined> {
	const { variables } = shell.state.values;
	const folders = foldersOf(variables);
	const full = folders === undefined ? undefined : absolutePath(path, shell.cwd, folders.home);
	if (full === undefined || folders === undefined) return undefined;
	const files = shell.files === "host" ? undefined : shell.sandbox.helper?.files;
	if (shell.files !== "host" && files === undefined) return undefined;
	const reading = files === undefined ? readNear(full) : readFar(files, full);
	let read: Read | undefined;
	const noted = reading.then((found) => {
		read = found;
	});
	await settledWithin(noted, patienceMs);
	return read && { ...read, folders };
}

type Read = Omit<DirectFile, "folders">;

function foldersOf(variables: ReadonlyMap<string, string>): DirectFile["folders"] | undefined {
	const home = variables.get("HOME");
	// Values have one character per byte; other ones than ASCII are left to the session itself.
	if (home === undefined || !isPlain(home)) return undefined;
	const hermesHome = variables.get("HERMES_HOME") ?? "";
	return isPlain(hermesHome) ? { home, hermesHome: hermesHome === "" ? `${home}/.hermes` : hermesHome } : undefined;
}

function isPlain(text: string): boolean {
	return /^[\x20-\x7e]*$/.test(text);
}

/** Not made shorter: what `..` means behind a link is for the file system to say. */
function absolutePath(path: string, cwd: string, home: string): string | undefined {
	if (path.startsWith("/")) return path;
	if (path === "~" || path.startsWith("~/")) return home + path.slice(1);
	return path.startsWith("~") || cwd === "" ? undefined : `${cwd}/${path}`;
}

function isOfKernel(path: string): boolean {
	return /^\/(?:proc|sys|dev)(?:\/|$)/.test(path);
}

async function readNear(path: string): Promise<Read | undefined> {
	let file: FileHandle | undefined;
	try {
		// Not blocking: opening a named pipe would wait for its writer.
		file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
		const facts = await file.stat({ bigint: true });
		const real = await realpath(path);
		const size = Number(facts.size);
		if (!facts.isFile() || isOfKernel(real) || size === 0 || size > nearBytes) return undefined;
		const bytes = new Uint8Array(size);
		const { bytesRead } = await file.read(bytes, 0, size, 0);
		if (bytesRead !== size) return undefined;
		return { path: real, stamp: stampOf({ modifiedNs: facts.mtimeNs, size, inode: facts.ino }), bytes };
	} catch (cause) {
		if (cause instanceof Error && "code" in cause) return undefined;
		throw cause;
	} finally {
		await file?.close();
	}
}

async function readFar(files: HelperFiles, path: string): Promise<Read | undefined> {
	try {
		const { facts, content } = await files.read(path, { limit: farBytes + 1 });
		const { realPath, size, modifiedNs, inode } = facts;
		if (isOfKernel(realPath) || size === 0 || size > farBytes) {
			await content.cancel();
			return undefined;
		}
		const bytes = new Uint8Array(await new Response(content).arrayBuffer());
		return bytes.length === size ? { path: realPath, stamp: stampOf({ modifiedNs, size, inode }), bytes } : undefined;
	} catch (cause) {
		if (cause instanceof FileError || cause instanceof ProcessLost) return undefined;
		throw cause;
	}
}

function stampOf({ modifiedNs, size, inode }: { modifiedNs: bigint; size: number; inode: bigint }): string {
	const seconds = modifiedNs / 1_000_000_000n;
	const rest = modifiedNs - seconds * 1_000_000_000n;
	return `${seconds}.${String(rest).padStart(9, "0")} ${size} ${inode}`;
}
