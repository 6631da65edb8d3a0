/** Brings back what the sandbox changed in folders that may come back: looked up first, so that nothing else travels. */

import { open } from "node:fs/promises";
import { join } from "node:path";
import { type FarFile, isPlainPath } from "./far-record.ts";
import type { FarSide } from "./far-side.ts";
import type { SentFile } from "./local-files.ts";
import type { SyncTree } from "./sync-sources.ts";
import { ArchiveRefused, type ReadMember, readTar } from "./tar/read-tar.ts";

/** A file that has come, and waits for being put into place. */
export interface ArrivedFile {
	/** Its place below the sandbox's `.hermes`. */
	readonly to: string;
	/** Where its content is on this machine now. */
	readonly path: string;
	/** Hex SHA-256. */
	readonly hash: string;
	/** Permission bits there. */
	readonly mode: number;
}

/** What has come. */
export interface Arrived {
	readonly files: readonly ArrivedFile[];
	/** One line for each that was not taken. */
	readonly refused: readonly string[];
}

/** How much may come back at once. */
export interface PullLimits {
	readonly totalBytes: number;
	readonly files: number;
}

/** What a pull works with. */
export interface PullParts {
	readonly far: Pick<FarSide, "list" | "send" | "ranOn">;
	/** What was sent, by the place there. */
	readonly sent: ReadonlyMap<string, SentFile>;
	readonly trees: readonly SyncTree[];
	/** What was there before anything was sent: it is somebody else's unless it changes. */
	readonly foreign: ReadonlyMap<string, FarFile>;
	/** Places of files that never come back, whatever folder they are in. */
	readonly secret: ReadonlySet<string>;
	/** An empty folder for what comes. */
	readonly folder: string;
	readonly limits: PullLimits;
	readonly signal: AbortSignal;
	onPlan(files: number, bytes: number): void;
}

/** The usual limits. */
export const pullLimits: PullLimits = { totalBytes: 2 * 1024 ** 3, files: 50_000 };

/** Names that are refused one by one; the rest of a flood is only counted by the log. */
const toldRefusals = 20;

/**
 * Takes what changed into `folder`.
 * @throws {SyncFailed | BackendUnavailable} When it could not be had.
 * @throws {ArchiveRefused} When it is no sound archive, or more than allowed.
 */
export async function pull(parts: PullParts): Promise<Arrived> {
	const { far, trees, limits, signal } = parts;
	const folders = trees.filter(({ comesBack }) => comesBack).map(({ to }) => to);
	if (folders.length === 0) return { files: [], refused: [] };
	const listed = await far.list(folders, signal);
	const wanted = [...listed].filter(
		([to, there]) => folders.some((folder) => to.startsWith(`${folder}/`)) && hasChanged(parts, to, there),
	);
	if (wanted.length === 0) return { files: [], refused: [] };
	const bytes = wanted.reduce((sum, [, { size }]) => sum + size, 0);
	if (bytes > limits.totalBytes || wanted.length > limits.files) {
		throw new ArchiveRefused(`${wanted.length} files with ${bytes} bytes are more than is brought back at once`);
	}
	parts.onPlan(wanted.length, bytes);
	const names = wanted.map(([to]) => to);
	return receive(await far.send(names, signal), new Set(names), parts);
}

function hasChanged({ sent, secret, foreign }: PullParts, to: string, { size, modifiedSeconds }: FarFile): boolean {
	if (secret.has(to)) return false;
	const ours = sent.get(to);
	const before = ours === undefined ? foreign.get(to) : asListed(ours);
	return before?.size !== size || before.modifiedSeconds !== modifiedSeconds;
}

function asListed({ size, modifiedMs }: SentFile): FarFile {
	return { size, modifiedSeconds: Math.floor(modifiedMs / 1000) };
}

/** Takes the files that were asked for and nothing else, whatever the archive holds. */
async function receive(
	archive: ReadableStream<Uint8Array>,
	asked: ReadonlySet<string>,
	{ folder, limits }: PullParts,
): Promise<Arrived> {
	const files = new Map<string, ArrivedFile>();
	const refused: string[] = [];
	const refuse = (name: string, why: string) => {
		if (refused.length < toldRefusals) refused.push(`${JSON.stringify(name)}: ${why}`);
	};
	// The sandbox lists one size and sends another: what counts is what comes.
	const members = readTar(archive, { totalBytes: limits.totalBytes, members: 4 * limits.files });
	for await (const member of members) {
		const name = member.name.replace(/^\.\//, "");
		if ("refused" in member) refuse(member.name, member.refused);
		else if (!asked.has(name) || !isPlainPath(name)) refuse(member.name, "it was not asked for");
		else if (files.has(name)) refuse(member.name, "it comes twice");
		else files.set(name, await store(member, name, join(folder, String(files.size))));
	}
	return { files: [...files.values()], refused };
}

async function store({ content, mode }: ReadMember, to: string, path: string): Promise<ArrivedFile> {
	const hasher = new Bun.CryptoHasher("sha256");
	await using file = await open(path, "wx", 0o600);
	for await (const part of content) {
		hasher.update(part);
		await file.writeFile(part);
	}
	return { to, path, hash: hasher.digest("hex"), mode };
}
