/** Replacing a part of a text file. */

import type { FuzzyFailure, FuzzyRequest } from "../base/fuzzy/fuzzy-replace.ts";
import type { Strategy } from "../base/fuzzy/match.ts";
import { deviceRefusal, readRefusal } from "../security/path-safety.ts";
import { changeRefusal, outsideWarning } from "./change-guard.ts";
import { type CheckReport, checkChange } from "./check/check-change.ts";
import { decodeText, encodeText } from "./encoding.ts";
import { stalenessAt } from "./known-files.ts";
import { locatedIn, notReadable } from "./located.ts";
import { failureText, unwritableText } from "./patch-failure.ts";
import type { FilePlace, FileRefused } from "./place.ts";
import { replaceText } from "./replace-text.ts";
import { bytesField, numberField, runScript, type ScriptAnswer, stampField } from "./run-script.ts";
import { readWholeScript } from "./scripts/read-script.ts";
import { unifiedDiff } from "./unified-diff.ts";
import { notWritable, replaceFile } from "./write.ts";

/** A file in which something was replaced. */
export interface Patched {
	readonly ok: true;
	/** Absolute, links followed. */
	readonly path: string;
	readonly diff: string;
	readonly count: number;
	readonly strategy: Strategy;
	/** From 0 to 1; 1 unless lines differ from those asked for in more than blanks and signs. */
	readonly similarity: number;
	/** What gave way. */
	readonly replaced: readonly string[];
	/** What is wrong with the file that was not wrong before, where something checks such files. */
	readonly check?: CheckReport;
	readonly warning?: string;
}

/** The file holds the new text already and was left alone. */
export interface AlreadyPatched {
	readonly ok: true;
	readonly path: string;
	/** Where the new text is, from 1. */
	readonly alreadyAt: number;
}

/** A patch that did not happen. `code` is missing when the file itself is the reason. */
export interface PatchRefused extends FileRefused {
	readonly code?: FuzzyFailure["code"];
	/** Absolute, links followed, when the file was found. */
	readonly path?: string;
}

/** What to replace in which file. */
export interface PatchRequest extends FuzzyRequest {
	readonly path: string;
}

/** Bytes of a file that can be patched. */
const largestFile = 10 * 1024 * 1024;

/** Replaces `oldText` in one step; the file is untouched unless the whole of it could be written. */
export async function patchFile(
	place: FilePlace,
	request: PatchRequest,
): Promise<Patched | AlreadyPatched | PatchRefused> {
	const device = deviceRefusal(request.path);
	if (device !== undefined) return refuse(request, device);
	const answer = await runScript(place, {
		script: readWholeScript,
		args: [request.path, String(largestFile)],
		answerBytes: largestFile * 2,
	});
	const refusal = refusalOf(answer, request) ?? staleRefusal(place, answer, request);
	if (refusal !== undefined) return refusal;
	const decoded = decodeText(bytesField(answer.fields, "content"));
	if (decoded === undefined) return refuse(request, "it is not text; change it with the terminal tool");
	const { text: before, encoding } = decoded;
	const path = answer.fields.get("path") ?? request.path;
	const replaced = replaceText(before, request);
	if (!replaced.ok && replaced.code === "already_applied") return { ok: true, path, alreadyAt: replaced.line };
	if (!replaced.ok) return { ...refuse(request, failureText(replaced)), code: replaced.code, path };
	const content = encodeText(replaced.text, encoding);
	if (content === undefined) return refuse(request, unwritableText(encoding));
	const checksum = answer.fields.get("checksum") ?? "";
	const written = await replaceFile(place, { path, content, checksum }, request.path);
	if (!written.ok) return written;
	const check = await checkChange(place, { path, text: replaced.text, before: async () => before });
	const { count, strategy, similarity } = replaced;
	const diff = unifiedDiff(path, before, replaced.text);
	const warning = outsideWarning(place, request.path, path);
	const more = { ...(check && { check }), ...(warning !== undefined && { warning }) };
	return { ok: true, path, diff, count, strategy, similarity, replaced: replaced.replaced, ...more };
}

function refusalOf(answer: ScriptAnswer, request: PatchRequest): FileRefused | undefined {
	const { fields } = answer;
	const located = locatedIn(answer, request.path);
	const unreadable = notReadable(located, request.path, fields.has("unreadable"));
	if (unreadable !== undefined && located.kind !== "file") return unreadable;
	const unwritable = notWritable(located, request.path, fields.has("unwritable"));
	if (unwritable !== undefined) return unwritable;
	// Where a text is found or not says what a file holds.
	const secret = readRefusal(located.path, located.folders);
	if (secret !== undefined) return refuse(request, secret);
	if (unreadable !== undefined) return unreadable;
	const size = numberField(fields, "size");
	return size > largestFile
		? refuse(request, `it has ${size} bytes, and at most ${largestFile} can be patched`)
		: undefined;
}

function staleRefusal(place: FilePlace, answer: ScriptAnswer, request: PatchRequest): FileRefused | undefined {
	const state = { stamp: stampField(answer.fields), isWhole: false };
	const { path, folders } = locatedIn(answer, request.path);
	const reason = changeRefusal(place, path, folders) ?? stalenessAt(place, path, state).refused;
	return reason === undefined ? undefined : refuse(request, reason);
}

function refuse(request: PatchRequest, reason: string): FileRefused {
	return { ok: false, error: `Cannot patch "${request.path}": ${reason}` };
}
