/** The archive of a push: the files, and after them what is to be done with them. */

import { goneLine, recordLine } from "./far-record.ts";
import { isFresh, type LocalFile, type SentFile, sentModes } from "./local-files.ts";
import { type OpenedFile, openLocal } from "./read-local.ts";
import { type TarContent, writeTar } from "./tar/write-tar.ts";

/** What is sent. */
export interface Sending {
	readonly files: readonly LocalFile[];
	/** Places of files that only their owner may read there. */
	readonly secret: ReadonlySet<string>;
	readonly deleted: readonly string[];
	/** What is there besides; given when the record is to be written anew. */
	readonly kept?: readonly SentFile[];
	/** Told of each file when it has been read. */
	isRead(file: LocalFile, sent: SentFile): void;
}

/** Larger files are sent in portions. */
const wholeBytes = 1024 * 1024;

const secretModes = 0o600;

/** The archive, as the scripts of the sandbox take it. */
export function archiveOf(sending: Sending): Generator<Uint8Array> {
	return writeTar(membersOf(sending));
}

function* membersOf(sending: Sending): Generator<TarContent> {
	const sent: SentFile[] = [];
	const folders = new Set<string>();
	for (const file of sending.files) {
		const done = (as: SentFile) => {
			sending.isRead(file, as);
			if (as.isThere) sent.push(as);
		};
		using opened = openLocal(file.path);
		if (opened === undefined) {
			// Gone, or not ours to read: it is tried again when it looks different.
			done({ ...file, isFresh: false, isThere: false });
			continue;
		}
		for (const folder of foldersOf(file.to)) folders.add(folder);
		yield* memberOf(file, opened, { isSecret: sending.secret.has(file.to), done });
	}
	yield listMember("folders", [...folders].sort());
	yield listMember("deleted", sending.deleted);
	yield listMember("emptied", parentsOf(sending.deleted));
	yield recordMember(sending, sent);
	yield listMember("end", []);
}

function* memberOf(
	{ to }: LocalFile,
	opened: OpenedFile,
	{ isSecret, done }: { readonly isSecret: boolean; done(sent: SentFile): void },
): Generator<TarContent> {
	const { size, mtimeMs: modifiedMs } = opened.facts;
	const openedAt = Date.now();
	const mode = opened.facts.mode & sentModes;
	const hasher = new Bun.CryptoHasher("sha256");
	const member = {
		name: `new/${to}`,
		size,
		mode: isSecret ? mode & secretModes : mode,
		modifiedSeconds: modifiedMs / 1000,
	};
	const portions = function* () {
		for (const portion of opened.portions()) {
			hasher.update(portion);
			yield portion;
		}
	};
	if (size > wholeBytes) yield { ...member, content: portions() };
	else {
		const content = Buffer.concat([...portions()]);
		yield { ...member, size: content.length, content };
	}
	done({
		size,
		modifiedMs,
		mode,
		to,
		hash: hasher.digest("hex"),
		isFresh: isFresh(modifiedMs, openedAt),
		isThere: true,
	});
}

function recordMember({ kept, deleted }: Sending, sent: readonly SentFile[]): TarContent {
	const line = ({ hash, ...file }: SentFile) =>
		recordLine(file.isFresh && hash !== undefined ? { ...file, hash } : file);
	const isNew = new Set(sent.map(({ to }) => to));
	const before = kept?.filter(({ to }) => !isNew.has(to)).map(line) ?? deleted.map(goneLine);
	// A journal is added to what may have been cut in the middle of a line.
	const [name, start] = kept === undefined ? ["journal", "\n"] : ["record", ""];
	return textMember(name, [start, ...before, ...sent.map(line)].join(""));
}

function listMember(name: string, lines: readonly string[]): TarContent {
	return textMember(name, lines.map((line) => `${line}\n`).join(""));
}

function textMember(name: string, text: string): TarContent {
	const content = Buffer.from(text);
	return { name, size: content.length, mode: 0o600, modifiedSeconds: Date.now() / 1000, content };
}

/** The folder of a file and those above it; `.` is the base itself. */
function foldersOf(to: string): string[] {
	const parts = to.split("/").slice(0, -1);
	return parts.length === 0 ? ["."] : parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}

/** Folders that may have become empty, inner ones first; those directly below the base stay. */
function parentsOf(deleted: readonly string[]): string[] {
	const folders = new Set(deleted.flatMap(foldersOf));
	return [...folders].filter((folder) => folder.includes("/")).sort((a, b) => b.length - a.length);
}
