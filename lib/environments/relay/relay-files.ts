/** Files of a sandbox, through the relay: one round trip each, and no process. */

import { constants } from "node:os";
import {
	FileError,
	type FileFacts,
	type FolderEntry,
	type HelperFiles,
	type ReadFile,
	type WriteFileOptions,
} from "../sandbox-helper.ts";
import type { RelayClient } from "./client.ts";
import { type Refusal, RelayRefused } from "./exchange.ts";
import { FileRead, FileWrite } from "./file-exchanges.ts";
import { ProtocolBroken, part, toRelay } from "./frames.ts";
import type { JobRequest, StartedJob } from "./job.ts";

const operations = { read: 0, stat: 1, list: 2, write: 3, remove: 4, makeFolder: 5, rename: 6 } as const;
const writeFlags = { new: 1, replace: 2, makeFolders: 4 } as const;

const kindBits = 0o170000;
const kindsByBits: ReadonlyMap<number, FileFacts["kind"]> = new Map([
	[0o100000, "file"],
	[0o040000, "folder"],
	[0o120000, "link"],
]);
const kindsByLetter: ReadonlyMap<string, FileFacts["kind"]> = new Map([
	["f", "file"],
	["d", "folder"],
	["l", "link"],
]);

/** Bytes of the fixed part of what is known of a file. */
const factsBytes = 36;

/** A tar archive's own words when it fails. */
const complaintBytes = 2_000;

type Start = (request: Omit<JobRequest, "marks" | "completes">) => Promise<StartedJob | Refusal>;

/** The files of the sandbox in which the relay of `client` runs. */
export function createRelayFiles(client: RelayClient, start: Start): HelperFiles {
	const ask = async (operation: keyof typeof operations, path: string, ...parts: readonly Buffer[]) => {
		try {
			return await client.ask(toRelay.file, fileBody(operation, path, parts));
		} catch (cause) {
			throw asFileError(operation, path, cause);
		}
	};
	return {
		stat: async (path, followsLinks = true) => readFacts(await ask("stat", path, part.byte(followsLinks ? 1 : 0))),
		remove: async (path, { recursive = false } = {}) => void (await ask("remove", path, part.byte(recursive ? 1 : 0))),
		makeFolder: async (path, mode = 0o777) => void (await ask("makeFolder", path, part.number(mode))),
		rename: async (from, to) => void (await ask("rename", from, part.text(to))),
		read: (path, range = {}) => read(client, path, range),
		list: (path) => list(client, path),
		write: (path, content, options) => write(client, path, { content, options }),
		createTar: (folder, names, signal) => createTar(start, names, { folder, signal }),
		extractTar: (folder, archive, signal) => extractTar(start, archive, { folder, signal }),
	};
}

function fileBody(operation: keyof typeof operations, path: string, parts: readonly Buffer[]): Buffer {
	return Buffer.concat([part.byte(operations[operation]), part.text(path), ...parts]);
}

async function read(
	client: RelayClient,
	path: string,
	{ offset = 0, limit = Number.MAX_SAFE_INTEGER }: { readonly offset?: number; readonly limit?: number },
): Promise<ReadFile> {
	const reading = new FileRead(client);
	client.send(toRelay.file, reading.number, fileBody("read", path, [part.long(offset), part.long(limit)]));
	try {
		const facts = readFacts(await reading.begun);
		return { facts, content: reading.content };
	} catch (cause) {
		throw asFileError("read", path, cause);
	}
}

async function list(client: RelayClient, path: string): Promise<FolderEntry[]> {
	const reading = new FileRead(client);
	client.send(toRelay.file, reading.number, fileBody("list", path, []));
	try {
		await reading.begun;
		const text = await new Response(reading.content).text();
		return text.split("\0").slice(0, -1).map(asEntry);
	} catch (cause) {
		throw asFileError("list", path, cause);
	}
}

function asEntry(text: string): FolderEntry {
	return { name: text.slice(1), kind: kindsByLetter.get(text.slice(0, 1)) ?? "other" };
}

async function write(
	client: RelayClient,
	path: string,
	{ content, options }: { readonly content: Uint8Array; readonly options: WriteFileOptions },
): Promise<FileFacts> {
	const { how, mode = 0o666, makeFolders = false } = options;
	const bits = writeFlags[how] | (makeFolders ? writeFlags.makeFolders : 0);
	const writing = new FileWrite(client);
	client.send(toRelay.file, writing.number, fileBody("write", path, [part.number(mode), part.byte(bits)]));
	void writing.input.writeAll(content);
	try {
		return readFacts(await writing.done);
	} catch (cause) {
		throw asFileError("write", path, cause);
	}
}

async function createTar(
	start: Start,
	names: readonly string[],
	{ folder, signal }: { readonly folder: string; readonly signal: AbortSignal },
): Promise<ReadableStream<Uint8Array>> {
	const options = { env: {}, cwd: folder, stdin: "none", control: true, signal } as const;
	const job = await start({ argv: names, options, what: "createTar" });
	if (!("running" in job)) throw new FileError(`Cannot make an archive of "${folder}": ${job.text}`, codeOf(job.errno));
	const { output, control, exited } = job.running;
	const complaint = textOf(control);
	const check = async () => {
		if ((await exited) === 0) return;
		throw new FileError(`Cannot make an archive of "${folder}": ${await complaint}`, "");
	};
	return output.pipeThrough(new TransformStream<Uint8Array, Uint8Array>({ flush: check }));
}

async function extractTar(
	start: Start,
	archive: ReadableStream<Uint8Array>,
	{ folder, signal }: { readonly folder: string; readonly signal: AbortSignal },
): Promise<void> {
	const options = { env: {}, cwd: folder, stdin: "pipe", control: true, signal } as const;
	const job = await start({ argv: [], options, what: "extractTar" });
	if (!("running" in job))
		throw new FileError(`Cannot unpack an archive in "${folder}": ${job.text}`, codeOf(job.errno));
	const { stdin, output, control, exited, kill } = job.running;
	void output.cancel();
	const complaint = textOf(control);
	try {
		if (stdin !== undefined) await archive.pipeTo(stdin, { signal });
	} catch (cause) {
		await kill();
		throw cause;
	}
	if ((await exited) !== 0) throw new FileError(`Cannot unpack an archive in "${folder}": ${await complaint}`, "");
}

async function textOf(stream: ReadableStream<Uint8Array> | undefined): Promise<string> {
	return stream === undefined ? "" : (await new Response(stream).text()).trim().slice(-complaintBytes);
}

/** @throws {ProtocolBroken} */
function readFacts(body: Buffer): FileFacts {
	if (body.length < factsBytes) throw new ProtocolBroken("Cannot read what is known of a file: it is too short");
	const mode = body.readUInt32BE(0);
	return {
		kind: kindsByBits.get(mode & kindBits) ?? "other",
		mode: mode & 0o7777,
		size: Number(body.readBigUInt64BE(12)),
		modifiedMs: Number(body.readBigUInt64BE(20)) / 1_000_000,
		modifiedNs: body.readBigUInt64BE(20),
		inode: body.readBigUInt64BE(28),
		realPath: body.toString("utf8", factsBytes),
	};
}

function asFileError(act: string, path: string, cause: unknown): unknown {
	if (!(cause instanceof RelayRefused)) return cause;
	const { errno, text } = cause.refusal;
	return new FileError(`Cannot ${act} "${path}": ${text}`, codeOf(errno), { cause });
}

/** The numbers of the usual errors are the same wherever a relay runs. */
function codeOf(errno: number): string {
	return Object.entries(constants.errno).find(([, number]) => number === errno)?.[0] ?? "";
}
