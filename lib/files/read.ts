/** Reading a page of a text file. */

import { deviceRefusal, readRefusal } from "../security/path-safety.ts";
import { binaryAdvice, isImageName } from "./binary-types.ts";
import type { Encoding } from "./encoding.ts";
import { noteRead } from "./known-files.ts";
import { locatedIn, notReadable } from "./located.ts";
import { numberLines, pageOfWhole, splitPage } from "./page.ts";
import type { FilePlace, FileRefused } from "./place.ts";
import { bytesField, numberField, runScript, type ScriptAnswer } from "./run-script.ts";
import { readPageScript, sampleBytes } from "./scripts/read-script.ts";
import { type TextKind, textKind } from "./text.ts";

/** The lines to show. */
export interface ReadRequest {
	readonly path: string;
	/** First line, from 1. */
	readonly offset: number;
	readonly limit: number;
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
}

/** Characters of a page that a model may get at once. */
const longestPage = 100_000;
/** More bytes than a page of that length can come from. */
const pageBytes = 8 * longestPage;
/** A file that gives nothing for so long is none to wait for. */
const readSeconds = 20;

/** Lines `offset` to `offset + limit - 1` of a text file, numbered. Nothing is ever read from a device or a pipe. */
export async function readPage(place: FilePlace, request: ReadRequest): Promise<ReadPage | FileRefused> {
	const device = deviceRefusal(request.path);
	if (device !== undefined) return refuse(request, device);
	const last = request.offset + request.limit - 1;
	const answer = await runScript(place, {
		script: readPageScript,
		args: [request.path, String(request.offset), String(last), String(pageBytes)],
		answerBytes: pageBytes * 2,
		timeoutSeconds: readSeconds,
	});
	const page = refusalOf(answer, request) ?? pageOf(answer, request);
	if (page.ok) {
		const isPartial = request.offset > 1 || page.isTruncated;
		noteRead(place, page.path, { stamp: answer.fields.get("stamp"), isPartial });
	}
	return page;
}

function refusalOf(answer: ScriptAnswer, request: ReadRequest): FileRefused | undefined {
	const { fields } = answer;
	const located = locatedIn(answer, request.path);
	const denied = deviceRefusal(located.path) ?? readRefusal(located.path, located.folders);
	if (denied !== undefined) return refuse(request, denied);
	const missing = notReadable(located, request.path, fields.has("unreadable"));
	if (missing !== undefined) return missing;
	if (fields.has("whole")) return undefined;
	const size = numberField(fields, "size");
	const kind = textKind(bytesField(fields, "sample"), size <= sampleBytes);
	return kind === "text" ? undefined : noText(located.path, request, { size, kind });
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

function pageOf({ fields }: ScriptAnswer, request: ReadRequest): ReadPage | FileRefused {
	const path = fields.get("path") ?? request.path;
	const fileSize = numberField(fields, "size");
	const last = request.offset + request.limit - 1;
	const whole = fields.has("whole") ? bytesField(fields, "whole") : undefined;
	const bytes = bytesField(fields, "page");
	const page =
		whole === undefined
			? { ...splitPage(bytes, request.offset === 1), total: linesIn(fields) }
			: pageOfWhole(whole, { from: request.offset, to: last });
	if (page === undefined) return noText(path, request, { size: fileSize, kind: "binary" });
	const content = numberLines(page.lines, request.offset);
	if (content.length > longestPage || bytes.length >= pageBytes) {
		const error = `Cannot show lines ${request.offset} to ${last} of "${request.path}": more than ${longestPage} characters; ask for fewer lines with offset and limit`;
		return { ok: false, error, details: { path, total_lines: page.total, file_size: fileSize } };
	}
	const { encoding, total } = page;
	return { ok: true, path, content, totalLines: total, fileSize, isTruncated: total > last, encoding };
}

function linesIn(fields: ReadonlyMap<string, string>): number {
	return numberField(fields, "newlines") + (fields.has("open_end") ? 1 : 0);
}

function refuse(request: ReadRequest, reason: string): FileRefused {
	return { ok: false, error: `Cannot read "${request.path}": ${reason}` };
}
