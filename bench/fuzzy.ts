/** A text that is there exactly, against finding that it is there once. */

import { fuzzyReplace } from "../lib/base/fuzzy/fuzzy-replace.ts";
import { block, defineFuzzyBench, largeText } from "./large-text.ts";

const asked = block.join("\n");

export default defineFuzzyBench("exact lines", asked, {
	floor: "indexOf(), twice",
	target: 3,
	open: async () => ({
		operation: async () => fuzzyReplace(largeText, { oldText: asked, newText: "changed", replaceAll: false }),
		floor: async () => largeText.indexOf(asked, largeText.indexOf(asked) + 1),
		async [Symbol.asyncDispose]() {},
	}),
});
