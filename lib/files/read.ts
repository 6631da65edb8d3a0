/** Reading a page of a text file. */

import { deviceRefusal, readRefusal } from "../security/path-safety.ts";
import { binaryAdvice, isImageName } from "./binary-types.ts";
import { documentText, isDocumentName, largestDocument } from "./documents/document-text.ts";
import type { Encoding } from "./encoding.ts";
import { noteRead, repeatsOfPage } from "./known-files.ts";
import { locatedIn, notReadable } from "./located.ts";
import { numberLines, type Page, pageOfText, pageOfWhole, splitPage } from "./page.ts";
import type { FilePlace, FileRefused } from "./place.ts";
import { bytesField, numberField, runScript, stampField } from "./run-script.ts";
import { readPageScript, sampleBytes, wholeBytes } from "./scripts/read-script.ts";
import { type TextKind, textKind } from "./text.ts";

/** How much of a file a model may get at once, in characters. */
export interface PageLimits {
	readonly page: number;
	readonly line: number;
}

/** The lines to show. */
export interface ReadRequest {
	readonly path: string;
	/** First line, from 1. */
	readonly offset: number;
	readonly limit: number;
	/** 100,000 and 2,000 when left out. */
	readonly limits?: PageLimits;
}

/** Lines of a text file. */
export interface ReadPage {
	readonly ok: true;
	/** Absolute, links followed. */
	readonly path: string;
	/** `N|text` lines. */
	readonly content: string;
	readonly totalLines: number;
	readonly fileSize: number;
	/** There are lines after the last one asked for. */
	readonly isTruncated: boolean;
	readonly encoding: Encoding;
	/** The lines are the text of a notebook, a document or a table. */
	readonly isExtracted: boolean;
}

/** The agent has got these lines before, and the file is still the same. */
export interface UnchangedPage {
	readonly ok: true;
	readonly path: string;
	/** How often it has asked again, from 1. */
	readonly repeats: number;
}

const usualLimits: PageLimits = { page: 100_000, line: 2_000 };
/** More bytes than a character of a page can come from. */
const bytesOfCharacter = 8;
/** A file that gives nothing for so long is none to wait for. */
const readSeconds = 20;

/** Lines `offset` to `offset + limit - 1` of a text file, numbered. Nothing is ever read from a device or a pipe. */
export async function readPage(
	place: FilePlace,
	request: ReadRequest,
): Promise<ReadPage | UnchangedPage | FileRefused> {
	const device = deviceRefusal(request.path);
	if (device !== undefined) return refuse(request, device);
	const found = (await findDirectly(place, request)) ?? (await findByScript(place, request));
	if ("ok" in found) return found;
	const { path, stamp } = found;
	const repeats = repeatsOfPage(place, path, { stamp, offset: request.offset, limit: request.limit });
	if (repeats > 0) return { ok: true, path, repeats };
	const page = pageOf(found, request);
	if (page.ok) {
		const isPartial = request.offset > 1 || page.isTruncated;
		noteRead(place, path, { stamp, isPartial, page: request });
	}
	return page;
}

/** A file that may be shown, and as much of it as is needed. */
interface FoundFile {
	readonly path: string;
	readonly stamp: string | undefined;
	readonly size: number;
	/** All of it, or the lines that were asked for with the number of all lines. */
	readonly content:
		| { readonly whole: Uint8Array }
		| { readonly lines: Uint8Array; readonly total: number; readonly isCut: boolean };
}

async function findDirectly(place: FilePlace, request: ReadRequest): Promise<FoundFile | FileRefused | undefined> {
	const file = await place.readDirectly?.(request.path);
	if (file === undefined) return undefined;
	const { path, folders, stamp, bytes } = file;
	const denied = deviceRefusal(path) ?? readRefusal(path, folders);
	return denied === undefined
		? { path, stamp, size: bytes.length, content: { whole: bytes } }
		: refuse(request, denied);
}

async function findByScript(place: FilePlace, request: ReadRequest): Promise<FoundFile | FileRefused> {
	const { page, line } = request.limits ?? usualLimits;
	const pageBytes = bytesOfCharacter * page;
	const whole = isDocumentName(request.path) ? largestDocument : wholeBytes;
	const last = request.offset + request.limit - 1;
	const numbers = [request.offset, last, pageBytes, lineBytesOf(line), whole];
	const answer = await runScript(place, {
		script: readPageScript,
		args: [request.path, ...numbers.map(String)],
		answerBytes: 2 * Math.max(pageBytes, whole),
		timeoutSeconds: readSeconds,
	});
	const { fields } = answer;
	const located = locatedIn(answer, request.path);
	const denied = deviceRefusal(located.path) ?? readRefusal(located.path, located.folders);
	if (denied !== undefined) return refuse(request, denied);
	const missing = notReadable(located, request.path, fields.has("unreadable"));
	if (missing !== undefined) return missing;
	const found = { path: located.path, stamp: stampField(fields), size: numberField(fields, "size") };
	if (fields.has("whole")) return { ...found, content: { whole: bytesField(fields, "whole") } };
	const kind = textKind(bytesField(fields, "sample"), found.size <= sampleBytes);
	if (kind !== "text") return noText(located.path, request, { size: found.size, kind });
	const lines = bytesField(fields, "page");
	const total = numberField(fields, "newlines") + (fields.has("open_end") ? 1 : 0);
	return { ...found, content: { lines, total, isCut: lines.length >= pageBytes } };
}

/** Bytes of one line that are sent: no character of it takes more than 4. */
function lineBytesOf(characters: number): number {
	return 4 * characters + 4;
}

function noText(
	path: string,
	request: ReadRequest,
	{ size, kind }: { readonly size: number; readonly kind: TextKind },
): FileRefused {
	const isImage = isImageName(path);
	const details = { path, file_size: size, is_binary: kind === "binary", is_image: isImage };
	const reason =
		kind === "utf-16"
			? "it is UTF-16 text, and too long to be shown as it is; convert it with iconv -f UTF-16 -t UTF-8"
			: `it is not text; ${binaryAdvice(path)}`;
	return { ...refuse(request, reason), details };
}

function pageOf({ path, size, content }: FoundFile, request: ReadRequest): ReadPage | FileRefused {
	const limits = request.limits ?? usualLimits;
	const last = request.offset + request.limit - 1;
	const page = linesOf(path, content, { from: request.offset, to: last, lineBytes: lineBytesOf(limits.line) });
	if (page === undefined) return noText(path, request, { size, kind: "binary" });
	const { encoding, total, isExtracted = false } = page;
	const text = numberLines(page.lines, request.offset, limits.line);
	if (text.length > limits.page || ("isCut" in content && content.isCut)) {
		const error = `Cannot show lines ${request.offset} to ${last} of "${request.path}": more than ${limits.page} characters; ask for fewer lines with offset and limit`;
		return { ok: false, error, details: { path, total_lines: total, file_size: size } };
	}
	const isTruncated = total > last;
	return { ok: true, path, content: text, totalLines: total, fileSize: size, isTruncated, encoding, isExtracted };
}

interface Range {
	readonly from: number;
	readonly to: number;
	readonly lineBytes: number;
}

/** Undefined when it is no text. */
function linesOf(
	path: string,
	content: FoundFile["content"],
	range: Range,
): (Page & { readonly total: number; readonly isExtracted?: boolean }) | undefined {
	if ("lines" in content) {
		return { ...splitPage(content.lines, range.from === 1, range.lineBytes), total: content.total };
	}
	const text = documentText(path, content.whole);
	// One that is damaged is shown as what it is, if it is text at all.
	return text === undefined ? pageOfWhole(content.whole, range) : { ...pageOfText(text, range), isExtracted: true };
}

function refuse(request: ReadRequest, reason: string): FileRefused {
	return { ok: false, error: `Cannot read "${request.path}": ${reason}` };
}
