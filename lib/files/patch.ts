/** Replacing a part of a text file. */

import { deviceRefusal, readRefusal } from "../security/path-safety.ts";
import { locatedIn, notReadable } from "./located.ts";
import type { FilePlace, FileRefused } from "./place.ts";
import { type Replaced, type ReplaceRequest, replaceText } from "./replace-text.ts";
import { bytesField, numberField, runScript, type ScriptAnswer } from "./run-script.ts";
import { readWholeScript } from "./scripts/read-script.ts";
import { decodeUtf8 } from "./text.ts";
import { unifiedDiff } from "./unified-diff.ts";
import { notWritable, replaceFile } from "./write.ts";

export interface Patched {
	readonly ok: true;
	/** Absolute, links followed. */
	readonly path: string;
	readonly diff: string;
	readonly count: number;
}

export interface PatchRequest extends ReplaceRequest {
	readonly path: string;
}

/** Bytes of a file that can be patched. */
const largestFile = 10 * 1024 * 1024;
/** Line numbers of hits that an error names. */
const mostLines = 20;

/** Replaces `oldText` in one step; the file is untouched unless the whole of it could be written. */
export async function patchFile(place: FilePlace, request: PatchRequest): Promise<Patched | FileRefused> {
	const device = deviceRefusal(request.path);
	if (device !== undefined) return refuse(request, device);
	const answer = await runScript(place, {
		script: readWholeScript,
		args: [request.path, String(largestFile)],
		answerBytes: largestFile * 2,
	});
	const refusal = refusalOf(answer, request);
	if (refusal !== undefined) return refusal;
	const before = decodeUtf8(bytesField(answer.fields, "content"));
	if (before === undefined || before.includes("\0")) {
		return refuse(
			request,
			"it is not UTF-8 text and patching would damage it; change it with the terminal tool, or convert it with iconv first",
		);
	}
	const replaced = replaceText(before, request);
	if (!replaced.ok) return refuse(request, reasonOf(replaced));
	if (!replaced.text.isWellFormed()) return refuse(request, "the new text holds half of a surrogate pair");
	const path = answer.fields.get("path") ?? request.path;
	const checksum = answer.fields.get("checksum") ?? "";
	const written = await replaceFile(place, { path, content: replaced.text, checksum }, request.path);
	if (!written.ok) return written;
	return { ok: true, path, diff: unifiedDiff(path, before, replaced.text), count: replaced.count };
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

function reasonOf(failure: Extract<Replaced, { ok: false }>): string {
	if (failure.code === "empty") return "old_string is empty or only blanks; give the text to replace";
	if (failure.code === "identical") return "old_string and new_string are identical";
	if (failure.code !== "ambiguous") {
		return "could not find old_string in it; read the file again and copy the text exactly, without the line numbers";
	}
	const { lines } = failure;
	const shown = lines.slice(0, mostLines).join(", ");
	const more = lines.length > mostLines ? ", …" : "";
	return `old_string is there ${lines.length} times, at lines ${shown}${more}; add lines around it to make it unique, or set replace_all`;
}

function refuse(request: PatchRequest, reason: string): FileRefused {
	return { ok: false, error: `Cannot patch "${request.path}": ${reason}` };
}
