/** The recorded cases of V4A patches, one test each. */

import { expect, test } from "bun:test";
import { join } from "node:path";
import { planPatch } from "../../../lib/base/v4a/apply-patch.ts";
import { parsePatch } from "../../../lib/base/v4a/parse-patch.ts";

interface Outcome {
	readonly expected_files?: Readonly<Record<string, string>>;
	readonly expected_error_class?: "parse" | "validate";
	readonly expected_error?: string;
}

interface PatchCase extends Outcome {
	readonly id: string;
	readonly files: Readonly<Record<string, string>>;
	readonly patch: string;
	readonly operations?: readonly (readonly string[])[];
	readonly original_faulty?: true;
	/** What is right where the recorded outcome is not. */
	readonly better?: Outcome;
	/** Line of the patch that the first problem names. */
	readonly line?: number;
}

const fixtures = join(import.meta.dir, "../../fixtures/patch");
const readCases = async (name: string): Promise<PatchCase[]> =>
	(await Bun.file(join(fixtures, name)).text())
		.trim()
		.split("\n")
		.map((line) => JSON.parse(line));
const cases = [...(await readCases("v4a-cases.jsonl")), ...(await readCases("own-v4a-cases.jsonl"))];

function outcomeOf({ files, patch }: PatchCase) {
	const parsed = parsePatch(patch);
	if (!parsed.ok) return { class: "parse", ...parsed.problems[0] };
	const plan = planPatch(parsed.operations, new Map(Object.entries(files).map(([path, text]) => [path, { text }])));
	if (!plan.ok) return { class: "validate", ...plan.problems[0] };
	const after = new Map(Object.entries(files));
	for (const change of plan.changes) if (change.kind === "move") after.delete(change.from);
	for (const change of plan.changes) {
		if (change.kind === "delete") after.delete(change.path);
		else after.set(change.path, change.after ?? "");
	}
	return { files: Object.fromEntries(after), operations: parsed.operations };
}

test.each(cases.map((row) => [row.id, row] as const))("a patch in case %s", (_, row) => {
	const outcome = outcomeOf(row);
	const expected = row.better ?? row;
	if (expected.expected_error_class !== undefined) {
		const { expected_error_class: kind, expected_error: code } = expected;
		expect(outcome).toMatchObject({ class: kind, ...(code && { code }), ...(row.line && { lineNumber: row.line }) });
		return;
	}
	const added = Object.entries(expected.expected_files ?? {});

	expect(outcome).toMatchObject({ files: Object.fromEntries(added) });
	expect(Object.keys(outcome.files ?? {}).sort()).toEqual(Object.keys(expected.expected_files ?? {}).sort());
});
