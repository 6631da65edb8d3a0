/** Writing a whole file: all of it or nothing. */

import { writeRefusal } from "../security/path-safety.ts";
import { changeRefusal, outsideWarning } from "./change-guard.ts";
import { type CheckReport, checkChange } from "./check/check-change.ts";
import { noteWrite, stalenessAt } from "./known-files.ts";
import { deadEnds, type Located, locatedIn } from "./located.ts";
import { fitForm, oldFormIn } from "./old-form.ts";
import type { FilePlace, FileRefused } from "./place.ts";
import { numberField, runScript, stampField } from "./run-script.ts";
import { inspectScript } from "./scripts/read-script.ts";
import { writeScript } from "./scripts/write-script.ts";
import { isUnchangedMessage } from "./shown-pages.ts";

/** A file that has its new content. */
export interface Written {
	readonly ok: true;
	/** Absolute, links followed: the file that was really written. */
	readonly path: string;
	readonly bytesWritten: number;
	/** Folders had to be made. */
	readonly dirsCreated: boolean;
	/** What the agent should know about the file that was there. */
	readonly warning?: string;
	/** What is wrong with it that was not wrong before, where something checks such files. */
	readonly check?: CheckReport;
}

/** A file's new content, for a path whose links are already followed. */
export interface Replacement {
	readonly path: string;
	readonly content: string | Uint8Array;
	/** Set when the file must still be the one that was read. */
	readonly checksum?: string;
}

/** A file that gives nothing for so long is none to wait for. */
const inspectSeconds = 20;

/** An old file of at most so many bytes is looked at as a whole. */
const largestOld = 8 * 1024 * 1024;

/**
 * Makes `content` the content of the file at `path`. Encoding, line ends and byte order mark of a file that is there stay what
 * they are, a link stays a link, and its mode and owner are kept.
 */
export async function writeFile(place: FilePlace, path: string, content: string): Promise<Written | FileRefused> {
	const unusable = unusableReason(path, content);
	if (unusable !== undefined) return { ok: false, error: `Cannot write "${path}": ${unusable}` };
	const answer = await runScript(place, {
		script: inspectScript,
		args: [path, String(largestOld)],
		answerBytes: 2 * largestOld,
		timeoutSeconds: inspectSeconds,
	});
	const { fields } = answer;
	const located = locatedIn(answer, path);
	const refusal = notWritable(located, path, fields.has("unwritable"));
	if (refusal !== undefined) return refusal;
	const stale = stalenessAt(place, located.path, { stamp: stampField(fields), isWhole: true });
	const reason = changeRefusal(place, located.path, located.folders) ?? stale.refused;
	if (reason !== undefined) return { ok: false, error: `Cannot write "${path}": ${reason}` };
	const old = oldFormIn(fields);
	const fitted = fitForm(content, old);
	const written = await replaceFile(place, { path: located.path, content: fitted.bytes }, path);
	if (!written.ok) return written;
	const check = await checkChange(place, { path: located.path, text: content, before: async () => old.text });
	const warning = stale.warning ?? fitted.warning ?? outsideWarning(place, path, located.path);
	return { ...written, ...(warning !== undefined && { warning }), ...(check !== undefined && { check }) };
}

function unusableReason(path: string, content: string): string | undefined {
	if (path.endsWith("/")) return "a path that ends with a slash names a folder";
	// A lone surrogate has no bytes; it would reach the disk as a question mark.
	if (!content.isWellFormed()) return "the content holds half of a surrogate pair";
	return isUnchangedMessage(content)
		? "the content is what read_file says of a file that has not changed, and not what the file holds"
		: undefined;
}

/** Why nothing may be written at `asked`; undefined when nothing is against it. */
export function notWritable(located: Located, asked: string, isUnwritable: boolean): FileRefused | undefined {
	const reason = reasonAgainst(located, isUnwritable);
	return reason === undefined ? undefined : { ok: false, error: `Cannot write "${asked}": ${reason}` };
}

function reasonAgainst({ kind, path, folders }: Located, isUnwritable: boolean): string | undefined {
	if (kind === "unresolved" || kind === "closed") return deadEnds[kind];
	const denied = writeRefusal(path, folders);
	if (denied !== undefined) return denied;
	if (kind === "folder") return "it is a folder";
	if (kind === "other" || kind === "endless") return "it is a device, a pipe or a socket";
	return isUnwritable ? "permission denied" : undefined;
}

/** Puts `replacement.content` in the place of the file in one step. `asked` is the path as the caller knows it. */
export async function replaceFile(
	place: FilePlace,
	replacement: Replacement,
	asked: string,
): Promise<Written | FileRefused> {
	const { path, content, checksum = "" } = replacement;
	const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
	const { fields, timedOut } = await runScript(place, {
		script: writeScript,
		args: [path, String(bytes.length), checksum],
		stdin: bytes,
	});
	const failed = timedOut ? "it did not finish in time" : fields.get("failed");
	if (failed !== undefined)
		return { ok: false, error: `Cannot write "${asked}": ${failed}; the old content is untouched` };
	if (fields.has("changed")) {
		return {
			ok: false,
			error: `Cannot write "${asked}": it has changed since it was read; read it again, nothing was written`,
		};
	}
	noteWrite(place, path, stampField(fields));
	return { ok: true, path, bytesWritten: numberField(fields, "written"), dirsCreated: fields.get("created") === "1" };
}
