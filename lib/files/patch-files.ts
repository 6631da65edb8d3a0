/** Applying a patch over several files of the sandbox. */

import { type FileChange, type PatchFile, planPatch } from "../base/v4a/apply-patch.ts";
import { type Operation, type Problem, pathsOf } from "../base/v4a/operations.ts";
import { isGitDiff, parseGitDiff } from "../base/v4a/parse-git-diff.ts";
import { parsePatch } from "../base/v4a/parse-patch.ts";
import { deviceRefusal, readRefusal, writeRefusal } from "../security/path-safety.ts";
import { changeRefusal, outsideWarning } from "./change-guard.ts";
import { type CheckReport, checkChange, isChecked } from "./check/check-change.ts";
import { commitChanges } from "./commit-changes.ts";
import { decodeText, type Encoding, encodeText } from "./encoding.ts";
import { stalenessAt } from "./known-files.ts";
import { deadEnds } from "./located.ts";
import { unwritableText } from "./patch-failure.ts";
import type { FilePlace, FileRefused } from "./place.ts";
import { bytesField, numberField, runScript, stampField } from "./run-script.ts";
import { inspectAllScript } from "./scripts/patch-script.ts";
import { unifiedDiff } from "./unified-diff.ts";

/** What a patch did. */
export interface PatchedFiles {
	readonly ok: true;
	/** Absolute paths. */
	readonly modified: readonly string[];
	readonly created: readonly string[];
	readonly deleted: readonly string[];
	readonly diff: string;
	/** Hunks whose new lines were there already. */
	readonly done: number;
	/** What is wrong with a file, by its path, that was not wrong before; files that nothing checks are missing. */
	readonly checks: Readonly<Record<string, CheckReport>>;
	readonly warnings: readonly string[];
}

/** Bytes of a file that can be patched, and of all files of one patch. */
const largestFile = 10 * 1024 * 1024;
const largestPatch = 64 * 1024 * 1024;

/** No check of a further file is begun after so long. */
const checkMs = 15_000;
const tooLate: CheckReport = { status: "skipped", message: "the checks of other files took too long" };

/** The operations that `text` asks for, V4A or `git diff`. */
function readPatch(text: string) {
	return isGitDiff(text) ? parseGitDiff(text) : parsePatch(text);
}

/** The paths that `text` names, in its order; none when it cannot be read. */
export function pathsInPatch(text: string): string[] {
	const parsed = readPatch(text);
	return parsed.ok ? [...new Set(parsed.operations.flatMap(pathsOf))] : [];
}

/** Tries the whole patch first and then changes all files, or none. */
export async function patchFiles(place: FilePlace, text: string): Promise<PatchedFiles | FileRefused> {
	const parsed = readPatch(text);
	if (!parsed.ok) return refused("parse", parsed.problems);
	const found = await inspectAll(place, parsed.operations);
	const problems = [...guard(place, { operations: parsed.operations, found })];
	if (problems.length > 0) return refused("validate", problems);
	const resolved = parsed.operations.map((operation) => withResolvedPaths(operation, found));
	const files = new Map([...found.values()].flatMap(({ path, file }) => (file === undefined ? [] : [[path, file]])));
	const plan = planPatch(resolved, files);
	if (!plan.ok) return refused("validate", plan.problems);
	const contents = contentsOf(plan.changes, new Map([...found.values()].map(({ path, encoding }) => [path, encoding])));
	if ("error" in contents) return contents;
	const checksums = new Map([...found.values()].flatMap(({ path, sum }) => (sum === undefined ? [] : [[path, sum]])));
	const committed =
		plan.changes.length === 0
			? { ok: true as const }
			: await commitChanges(place, plan.changes, { checksums, contents });
	if (!committed.ok) return committed;
	const checks = await checkAll(place, plan.changes);
	const warnings = [...found].flatMap(([asked, { path }]) => outsideWarning(place, asked, path) ?? []);
	return { ok: true, ...summaryOf(plan.changes), done: plan.done, checks, warnings };
}

/** A path of the patch in the sandbox. */
interface FoundFile {
	readonly path: string;
	readonly kind: string;
	readonly isLink: boolean;
	readonly isUnreadable: boolean;
	readonly isUnwritable: boolean;
	readonly isTooLarge: boolean;
	readonly sum?: string;
	readonly stamp?: string;
	readonly file?: PatchFile;
	readonly encoding: Encoding;
	readonly denied: { readonly write: string | undefined; readonly read: string | undefined };
}

async function inspectAll(place: FilePlace, operations: readonly Operation[]): Promise<Map<string, FoundFile>> {
	const paths = [...new Set(operations.flatMap(pathsOf))];
	const { fields, timedOut } = await runScript(place, {
		script: inspectAllScript,
		args: [String(largestFile), ...paths],
		answerBytes: largestPatch * 2,
	});
	if (timedOut) throw new Error("the files of the patch could not be read in time");
	const folders = { home: fields.get("home") ?? "", hermesHome: fields.get("hermes_home") ?? "" };
	const entries = paths.map((asked, index): [string, FoundFile] => {
		const field = (name: string) => fields.get(`${index + 1}.${name}`);
		const path = field("path") ?? asked;
		const content = field("content");
		const sum = field("sum");
		const stamp = stampField(fields, `${index + 1}.stamp`);
		const decoded = content === undefined ? undefined : decodeText(bytesField(fields, `${index + 1}.content`));
		const read = readRefusal(path, folders);
		const device = deviceRefusal(asked) ?? deviceRefusal(path);
		return [
			asked,
			{
				path,
				kind: field("kind") ?? "unresolved",
				isLink: field("link") !== undefined,
				isUnreadable: field("unreadable") !== undefined,
				isUnwritable: field("unwritable") !== undefined,
				isTooLarge: numberField(fields, `${index + 1}.size`) > largestFile,
				encoding: decoded?.encoding ?? "utf-8",
				...(stamp !== undefined && { stamp }),
				...(sum !== undefined && { sum, file: decoded === undefined ? {} : { text: decoded.text } }),
				denied: { write: device ?? writeRefusal(path, folders) ?? changeRefusal(place, path, folders), read },
			},
		];
	});
	return new Map(entries);
}

/** The bytes of every new text, in the encoding that its file has. */
function contentsOf(
	changes: readonly FileChange[],
	encodings: ReadonlyMap<string, Encoding>,
): ReadonlyMap<string, Uint8Array> | FileRefused {
	const contents = new Map<string, Uint8Array>();
	for (const change of changes) {
		if (change.kind === "delete" || change.after === undefined) continue;
		const encoding = encodings.get(change.kind === "move" ? change.from : change.path) ?? "utf-8";
		const bytes = encodeText(change.after, encoding);
		if (bytes === undefined)
			return {
				ok: false,
				error: `Cannot apply the patch: "${change.path}": ${unwritableText(encoding)}; no file was changed`,
			};
		contents.set(change.path, bytes);
	}
	return contents;
}

function* guard(
	place: FilePlace,
	{ operations, found }: { operations: readonly Operation[]; found: ReadonlyMap<string, FoundFile> },
): Generator<Problem> {
	for (const operation of operations) {
		for (const path of pathsOf(operation)) {
			const file = found.get(path);
			const stale = stalenessAt(place, file?.path ?? path, { stamp: file?.stamp, isWhole: false });
			const reason = file === undefined ? "it was not looked at" : (reasonAgainst(operation, file) ?? stale.refused);
			const { lineNumber } = operation;
			if (reason !== undefined) yield { code: "refused", lineNumber, message: `"${path}": ${reason}` };
		}
	}
}

function reasonAgainst(operation: Operation, file: FoundFile): string | undefined {
	if (file.kind === "unresolved" || file.kind === "closed") return deadEnds[file.kind];
	// Whether a text is found or not says what a file holds, and a diff shows it.
	const denied = file.denied.write ?? file.denied.read;
	if (denied !== undefined) return denied;
	if (file.kind === "folder") return "it is a folder";
	if (file.kind === "other") return "it is a device, a pipe or a socket";
	if (file.isUnreadable || file.isUnwritable) return "permission denied";
	if (file.isTooLarge && operation.kind === "update") return `it has more than ${largestFile} bytes`;
	const removes = operation.kind === "delete" || operation.kind === "move";
	return file.isLink && removes ? "it is a link; move or delete it with the terminal tool" : undefined;
}

function withResolvedPaths(operation: Operation, found: ReadonlyMap<string, FoundFile>): Operation {
	const resolve = (path: string) => found.get(path)?.path ?? path;
	const path = resolve(operation.path);
	if (operation.kind === "move") return { ...operation, path, to: resolve(operation.to) };
	if (operation.kind === "update" && operation.moveTo !== undefined)
		return { ...operation, path, moveTo: resolve(operation.moveTo) };
	return { ...operation, path };
}

function summaryOf(changes: readonly FileChange[]): Pick<PatchedFiles, "modified" | "created" | "deleted" | "diff"> {
	const paths = (...kinds: FileChange["kind"][]) =>
		changes.filter(({ kind }) => kinds.includes(kind)).map(({ path }) => path);
	const moved = changes.flatMap((change) => (change.kind === "move" ? [change.from] : []));
	const put = new Set(paths("create", "modify", "move"));
	return {
		modified: paths("modify", "move"),
		created: paths("create"),
		deleted: [...paths("delete"), ...moved.filter((path) => !put.has(path))],
		diff: changes
			.map(diffOf)
			.filter((diff) => diff !== "")
			.join("\n"),
	};
}

async function checkAll(place: FilePlace, changes: readonly FileChange[]): Promise<Record<string, CheckReport>> {
	const started = performance.now();
	const reports: Record<string, CheckReport> = {};
	for (const change of changes) {
		if (change.kind === "delete" || change.after === undefined) continue;
		const file = { path: change.path, text: change.after };
		if (!isChecked(file)) continue;
		const isLate = performance.now() - started > checkMs;
		const before = change.kind === "create" ? undefined : change.before;
		const report = isLate ? tooLate : await checkChange(place, { ...file, before: async () => before });
		if (report !== undefined) reports[change.path] = report;
	}
	return reports;
}

function diffOf(change: FileChange): string {
	if (change.kind === "create") return unifiedDiff(change.path, "", change.after);
	if (change.kind === "delete") return unifiedDiff(change.path, change.before ?? "", "");
	const diff = unifiedDiff(change.path, change.before ?? "", change.after ?? "");
	return change.kind === "move" ? [`# Moved: ${change.from} -> ${change.path}`, diff].filter(Boolean).join("\n") : diff;
}

function refused(kind: "parse" | "validate", problems: readonly Problem[]): FileRefused {
	const listed = problems.map(({ lineNumber, message }) => `- line ${lineNumber} of the patch: ${message}`);
	const what = kind === "parse" ? "it cannot be read" : "it does not fit the files";
	return {
		ok: false,
		error: `Cannot apply the patch: ${what}, and no file was changed\n${listed.join("\n")}`,
		details: { error_class: kind, error_code: problems[0]?.code },
	};
}
