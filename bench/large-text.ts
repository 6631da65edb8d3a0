/** A source text of 20,000 lines, and blocks of it that are asked for in other ways, for the benches of text replacement. */

import { fuzzyReplace } from "../lib/base/fuzzy/fuzzy-replace.ts";
import { type Bench, defineBench } from "./bench.ts";

export const lineCount = 20_000;

/** Functions of seven lines, indented with tabs. */
export const largeText = Array.from({ length: lineCount }, (_, index) => {
	if (index % 7 === 0) return `function name${index}(a, b) {`;
	if (index % 7 === 6) return "}";
	return `${"\t".repeat(1 + (index % 3))}const value${index} = compute(${index}, other, "text ${index * 7}");`;
}).join("\n");

const near = lineCount - (lineCount % 7) - 699;
/** Five lines near the end. */
export const block = largeText.split("\n").slice(near, near + 5);

/** A bench that replaces `asked` in the large text. The floor splits it into lines, which no comparison of lines can do without. */
export function defineFuzzyBench(how: string, asked: string, more: Partial<Bench> = {}): Bench {
	return defineBench({
		operation: `fuzzyReplace() of ${how} in ${lineCount} lines`,
		floor: "split() into lines",
		samples: 100,
		open: async () => ({
			operation: async () => fuzzyReplace(largeText, { oldText: asked, newText: "changed", replaceAll: false }),
			floor: async () => largeText.split("\n"),
			async [Symbol.asyncDispose]() {},
		}),
		...more,
	});
}
