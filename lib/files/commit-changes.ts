/** Making the changes of a patch real: all of them or none. */

import type { FileChange } from "../base/v4a/apply-patch.ts";
import { noteWrite } from "./known-files.ts";
import type { FilePlace, FileRefused } from "./place.ts";
import { runScript, stampField } from "./run-script.ts";
import { commitScript } from "./scripts/patch-script.ts";

interface Step {
	readonly kind: "put" | "drop";
	readonly path: string;
	/** Undefined for a file that is copied as it is. */
	readonly content?: Uint8Array;
	/** Whose mode and owner the file gets. */
	readonly from: string;
}

/** What belongs to the paths of changes. */
export interface ChangeDetails {
	/** What the files had when they were read; missing when there was none. */
	readonly checksums: ReadonlyMap<string, string>;
	/** New contents; a file that is moved as it is has none. */
	readonly contents: ReadonlyMap<string, Uint8Array>;
}

/** Makes `changes`, whose files must still be those that were read. */
export async function commitChanges(
	place: FilePlace,
	changes: readonly FileChange[],
	{ checksums, contents }: ChangeDetails,
): Promise<{ readonly ok: true } | FileRefused> {
	const steps = stepsOf(changes, contents);
	const args = steps.flatMap(({ kind, path, from, content }) => {
		const size = kind === "put" ? (content?.length ?? "-") : 0;
		return [kind, path, checksums.get(path) ?? "", String(size), from];
	});
	const { fields, timedOut } = await runScript(place, {
		script: commitScript,
		args: [crypto.randomUUID().slice(0, 13), ...args],
		stdin: Buffer.concat(steps.flatMap(({ content }) => content ?? [])),
	});
	if (fields.has("written")) {
		for (const [index, { path }] of steps.entries()) noteWrite(place, path, stampField(fields, `${index + 1}.stamp`));
		return { ok: true };
	}
	if (timedOut) {
		return {
			ok: false,
			error: "Cannot apply the patch: it did not finish in time; read the files to see which version they have",
		};
	}
	const journal = fields.get("inconsistent");
	if (journal !== undefined) {
		const error = `Cannot apply the patch: ${fields.get("failed")}; it could not be taken back either, so that some files have their new content and some the old. ${journal} in the sandbox holds the old ones, and the next patch tries again`;
		return { ok: false, error, details: { rolled_back: false } };
	}
	const changed = fields.get("changed");
	const reason =
		changed === undefined ? (fields.get("failed") ?? "unknown") : `"${changed}" has changed since it was read`;
	const details = fields.has("rolled_back") ? { rolled_back: true } : {};
	return { ok: false, error: `Cannot apply the patch: ${reason}; no file was changed`, details };
}

/** Puts first: a file is dropped only when everything that takes its place, or its content, is there. */
function stepsOf(changes: readonly FileChange[], contents: ReadonlyMap<string, Uint8Array>): Step[] {
	const puts = changes.flatMap((change): Step[] => {
		if (change.kind === "delete") return [];
		const from = change.kind === "move" ? change.from : change.path;
		const content = contents.get(change.path);
		return [{ kind: "put", path: change.path, from, ...(content !== undefined && { content }) }];
	});
	const put = new Set(puts.map(({ path }) => path));
	const gone = changes.flatMap((change) => {
		if (change.kind === "move") return [change.from];
		return change.kind === "delete" ? [change.path] : [];
	});
	const drops = gone.filter((path) => !put.has(path)).map((path): Step => ({ kind: "drop", path, from: path }));
	return [...puts, ...drops];
}
