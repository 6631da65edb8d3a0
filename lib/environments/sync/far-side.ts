/** The sandbox's side of a sync: what is there, taking archives, giving archives. Knows nothing of this machine's files. */

import { attemptAsync } from "../../base/attempt.ts";
import type { Running, Sandbox } from "../backend.ts";
import { toEnd } from "../shell/run-to-end.ts";
import { type FarFile, type RecordedFile, readList, readRecord } from "./far-record.ts";
import {
	farCodes,
	listScript,
	lookScript,
	placeScript,
	prepareScript,
	receiveScript,
	recordsFolder,
	sendScript,
} from "./far-scripts.ts";

/** A sandbox that has been looked at. */
export interface FarSide {
	readonly ranOn: string;
	/** Its `.hermes`, absolute. */
	readonly base: string;
	/** What an earlier run sent. */
	readonly recorded: ReadonlyMap<string, RecordedFile>;
	readonly recordLines: number;
	/** What is there of it. */
	readonly present: ReadonlyMap<string, FarFile>;
	/** Unpacks `archive`, and puts its files into place when it has come whole. @throws {SyncFailed | BackendUnavailable} */
	receive(archive: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<void>;
	/** The files below `folders`. @throws {SyncFailed | BackendUnavailable} */
	list(folders: readonly string[], signal: AbortSignal): Promise<Map<string, FarFile>>;
	/** An archive of these files; the stream fails when it could not be made. @throws {SyncFailed | BackendUnavailable} */
	send(names: readonly string[], signal: AbortSignal): Promise<ReadableStream<Uint8Array>>;
}

/** The sandbox could not do its part. */
export class SyncFailed extends Error {
	override readonly name = "SyncFailed";
}

/** Bytes of its own words that a failed script is quoted with. */
const complaintBytes = 300;

/** Lists and records of a million files; a sandbox that says more is not listened to. */
const listBytes = 256 * 1024 * 1024;

/** Looks at the sandbox: `record` names the record there, `tops` the folders that could hold what it tells of. */
export async function openFarSide(
	sandbox: Sandbox,
	{ record, tops, signal }: { readonly record: string; readonly tops: readonly string[]; readonly signal: AbortSignal },
): Promise<FarSide> {
	const said = await runScript(sandbox, lookScript, { words: [record, ...tops], signal });
	const [base = "", tar = "", recordText = "", list = ""] = said.split("\0");
	if (!base.startsWith("/")) throw new SyncFailed(`Cannot look around on ${sandbox.ranOn}: it names no home folder`);
	const { files, lines } = readRecord(recordText);
	const hasTar = tar === "yes";
	return {
		ranOn: sandbox.ranOn,
		base,
		recorded: files,
		recordLines: lines,
		present: readList(list),
		receive: (archive, signal) => receive(sandbox, archive, { base, record, hasTar, signal }),
		list: async (folders, signal) =>
			readList(await runScript(sandbox, listScript, { words: [base, ...folders], signal })),
		send: (names, signal) => send(sandbox, names, { base, hasTar, signal }),
	};
}

interface ReceiveOptions {
	readonly base: string;
	readonly record: string;
	readonly hasTar: boolean;
	readonly signal: AbortSignal;
}

/** The tar program unpacks many small files nine times as fast as a helper; one that has a helper only is served too. */
async function receive(
	sandbox: Sandbox,
	archive: ReadableStream<Uint8Array>,
	{ base, record, hasTar, signal }: ReceiveOptions,
): Promise<void> {
	const words = [base, crypto.randomUUID(), record];
	if (hasTar) return void (await runScript(sandbox, receiveScript, { words, archive, signal }));
	const files = helperFiles(sandbox);
	await runScript(sandbox, prepareScript, { words, signal });
	await files.extractTar(`${base}/${recordsFolder}/${words[1]}`, archive, signal);
	await runScript(sandbox, placeScript, { words, signal });
}

async function send(
	sandbox: Sandbox,
	names: readonly string[],
	{ base, hasTar, signal }: Omit<ReceiveOptions, "record">,
): Promise<ReadableStream<Uint8Array>> {
	if (!hasTar) return helperFiles(sandbox).createTar(base, names, signal);
	const stdin = Buffer.from(names.map((name) => `${name}\n`).join(""));
	const argv = ["sh", "-c", sendScript, "sh", base];
	const running = await sandbox.start(argv, { env: {}, cwd: "/", stdin, signal });
	const end = () => void running.kill().catch(() => undefined);
	signal.addEventListener("abort", end, { once: true });
	const check = async () => {
		const code = await running.exited;
		signal.removeEventListener("abort", end);
		// 1 is a file that was written to meanwhile: it has come as it was.
		if (code > 1) throw new SyncFailed(`Cannot archive files on ${sandbox.ranOn}: exit code ${code}`);
	};
	return running.output.pipeThrough(new TransformStream<Uint8Array, Uint8Array>({ flush: check }));
}

function helperFiles({ helper, ranOn }: Sandbox): NonNullable<Sandbox["helper"]>["files"] {
	if (helper !== undefined) return helper.files;
	throw new SyncFailed(`Cannot copy files to ${ranOn}: there is no tar`);
}

interface ScriptOptions {
	readonly words: readonly string[];
	readonly archive?: ReadableStream<Uint8Array>;
	readonly signal: AbortSignal;
}

/** What a script says. @throws {SyncFailed | BackendUnavailable} */
async function runScript(sandbox: Sandbox, script: string, { words, archive, signal }: ScriptOptions): Promise<string> {
	signal.throwIfAborted();
	const argv = ["sh", "-c", script, "sh", ...words];
	const stdin = archive === undefined ? "none" : "pipe";
	const running = await sandbox.start(argv, { env: {}, cwd: "/", stdin, signal });
	const fed = attemptAsync(() => feed(running, archive, signal));
	const said = await toEnd(bounded(running), signal);
	const output = said.output.toString("utf8");
	if (said.exitCode !== 0) throw new SyncFailed(explain(said.exitCode, output));
	const sent = await fed;
	if (!sent.ok) throw new SyncFailed(sent.reason);
	return output;
}

/** A script that ends early takes no more: what it says is the reason then. One whose archive fails must not wait for the rest. */
async function feed(
	{ stdin, kill }: Running,
	archive: ReadableStream<Uint8Array> | undefined,
	signal: AbortSignal,
): Promise<void> {
	if (archive === undefined || stdin === undefined) return;
	try {
		await archive.pipeTo(stdin, { signal });
	} catch (cause) {
		await kill();
		throw cause;
	}
}

function bounded({ output, exited, kill }: Running): Pick<Running, "output" | "exited" | "kill"> {
	let left = listBytes;
	const limit = new TransformStream<Uint8Array, Uint8Array>({
		transform(chunk, controller) {
			left -= chunk.length;
			if (left < 0) throw new SyncFailed("the sandbox says more than can be listened to");
			controller.enqueue(chunk);
		},
	});
	return { output: output.pipeThrough(limit), exited, kill: (signal) => kill(signal) };
}

function explain(exitCode: number, words: string): string {
	if (exitCode === farCodes.noList) return "there is no stat";
	return words.trim().replace(/\s+/g, " ").slice(0, complaintBytes) || `exit code ${exitCode}`;
}
