/** The contract of a helper inside a sandbox: what it does faster than processes of the sandbox could. */

import type { Running, StartOptions } from "./backend.ts";

/** A helper that runs. When it is lost, `helper` of its sandbox is undefined, and what was under way throws ProcessLost. */
export interface SandboxHelper {
	readonly files: HelperFiles;
	/** Starts a process whose state comes back with its end, in one round trip. */
	startShell(argv: readonly string[], options: ShellStartOptions): Promise<ShellStart>;
	/** Listens on a Unix socket inside the sandbox, which only its user can reach. Disposing it closes the socket. */
	listen(path: string, onConnection: (connection: SandboxConnection) => void): Promise<AsyncDisposable>;
}

/** A start of a shell. `cwd` is absolute. */
export interface ShellStartOptions extends Omit<StartOptions, "control" | "pty"> {
	/** `nearest`: the nearest folder above takes the place of one that is gone. */
	readonly find: "nearest" | "exact";
	/** A file without which nothing is started. */
	readonly needs?: string;
	/** A file that the shell writes; its content becomes `control` of the running process, and it is removed. */
	readonly statePath: string;
}

/** A shell that runs, or was not started because its folder or its file is not there. */
export type ShellStart =
	| { readonly is: "started"; readonly running: Running; readonly folder: string; readonly isAskedFolder: boolean }
	| { readonly is: "missing" }
	| { readonly is: "lost" };

/** One connection to a socket in the sandbox. */
export interface SandboxConnection {
	readonly readable: ReadableStream<Uint8Array>;
	readonly writable: WritableStream<Uint8Array>;
	/** Drops it. */
	close(): void;
}

/** What is known of a file. */
export interface FileFacts {
	readonly kind: "file" | "folder" | "link" | "other";
	/** Permission bits. */
	readonly mode: number;
	readonly size: number;
	readonly modifiedMs: number;
	/** The same, exactly. */
	readonly modifiedNs: bigint;
	readonly inode: bigint;
	/** Without symbolic links. */
	readonly realPath: string;
}

/** An entry of a folder. */
export interface FolderEntry {
	readonly name: string;
	readonly kind: FileFacts["kind"];
}

/** How a file is written. */
export interface WriteFileOptions {
	/** Permission bits of a new file; 0o666 without the sandbox's umask when left out. */
	readonly mode?: number;
	/** `replace`: whole or not at all, keeping the mode of the old one. `new`: only when there is none. */
	readonly how: "replace" | "new";
	/** Missing folders above are made. */
	readonly makeFolders?: boolean;
}

/** Files of the sandbox. Paths are absolute. Everything throws FileError when the file system there refuses. */
export interface HelperFiles {
	stat(path: string, followsLinks?: boolean): Promise<FileFacts>;
	/** Bytes from `offset` on, at most `limit`. */
	read(path: string, range?: { readonly offset?: number; readonly limit?: number }): Promise<ReadFile>;
	write(path: string, content: Uint8Array, options: WriteFileOptions): Promise<FileFacts>;
	list(path: string): Promise<FolderEntry[]>;
	remove(path: string, options?: { readonly recursive?: boolean }): Promise<void>;
	makeFolder(path: string, mode?: number): Promise<void>;
	rename(from: string, to: string): Promise<void>;
	/** A tar archive of `names`, relative to `folder`; the stream fails when it could not be made whole. */
	createTar(folder: string, names: readonly string[], signal: AbortSignal): Promise<ReadableStream<Uint8Array>>;
	/** Unpacks a tar archive into `folder`. */
	extractTar(folder: string, archive: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<void>;
}

/** A file that is being read. */
export interface ReadFile {
	readonly facts: FileFacts;
	readonly content: ReadableStream<Uint8Array>;
}

/** The file system of the sandbox refused. */
export class FileError extends Error {
	override readonly name = "FileError";
	/** `ENOENT` and the like; empty when the system gave none. */
	readonly code: string;

	constructor(message: string, code: string, options?: ErrorOptions) {
		super(message, options);
		this.code = code;
	}
}
