/** A patch of 50 hunks on 20,000 lines, from its text to the new text. */

import { planPatch } from "../lib/base/v4a/apply-patch.ts";
import { parsePatch } from "../lib/base/v4a/parse-patch.ts";
import { defineBench } from "./bench.ts";
import { largeText, lineCount } from "./large-text.ts";

const lines = largeText.split("\n");
const hunks = Array.from({ length: 50 }, (_, index) => {
	const at = index * 390 + 8;
	return ["@@", ` ${lines[at]}`, `-${lines[at + 1]}`, `+changed ${index}`, ` ${lines[at + 2]}`].join("\n");
});
const patch = ["*** Begin Patch", "*** Update File: f", ...hunks, "*** End Patch"].join("\n");

export default defineBench({
	operation: `50 hunks applied to ${lineCount} lines`,
	floor: "split() and join()",
	samples: 100,
	async open() {
		return {
			async operation() {
				const parsed = parsePatch(patch);
				const plan = parsed.ok ? planPatch(parsed.operations, new Map([["f", { text: largeText }]])) : parsed;
				if (!plan.ok) throw new Error(`Cannot apply the patch: ${JSON.stringify(plan.problems)}`);
			},
			floor: async () => largeText.split("\n").join("\n"),
			async [Symbol.asyncDispose]() {},
		};
	},
});
