/** The recorded cases of fuzzy replacement, one test each. */

import { expect, test } from "bun:test";
import { join } from "node:path";
import { fuzzyReplace } from "../../../lib/base/fuzzy/fuzzy-replace.ts";

interface FuzzyCase {
	readonly id: string;
	readonly file: string;
	readonly old: string;
	readonly new: string;
	readonly replace_all: boolean;
	readonly expected_content?: string;
	readonly expected_error?: string;
	readonly matches?: number;
	readonly count?: number;
	/** Null where it does not matter. */
	readonly strategy?: string | null;
	readonly original_faulty?: true;
	/** What is right where the recorded outcome is not. */
	readonly better?: { readonly expected_content?: string; readonly expected_error?: string };
}

const fixtures = join(import.meta.dir, "../../fixtures/patch");
const lines = (await Bun.file(join(fixtures, "fuzzy-cases.jsonl")).text()).trim().split("\n");
const own = (await Bun.file(join(fixtures, "own-fuzzy-cases.jsonl")).text()).trim().split("\n");
const cases: FuzzyCase[] = [...lines, ...own].map((line) => JSON.parse(line));

test.each(cases.map((row) => [row.id, row] as const))("fuzzyReplace() in case %s", (_, row) => {
	const result = fuzzyReplace(row.file, { oldText: row.old, newText: row.new, replaceAll: row.replace_all });
	const { expected_content: content, expected_error: error } = row.better ?? row;
	if (error !== undefined) {
		expect(result).toMatchObject({ ok: false, code: error });
		if (row.matches !== undefined && !result.ok && result.code === "ambiguous")
			expect(result.lines.length).toBe(row.matches);
		return;
	}
	expect(result).toMatchObject({ ok: true, text: content });
	const { strategy, count } = row;
	if (!row.original_faulty && strategy && count) expect(result).toMatchObject({ strategy, count });
});
