/** The dialect of ripgrep in words that grep knows. */

import { expect, test } from "bun:test";
import { grepPattern } from "../../lib/files/grep-pattern.ts";

test.each([
	["a\\d+", "a[0-9]+"],
	["\\D", "[^0-9]"],
	["[\\d.]", "[0-9.]"],
	["(?:a|b)", "(a|b)"],
	["\\(?:x", "\\(?:x"],
	["[(?:]", "[(?:]"],
	["\\\\d", "\\\\d"],
	["[]\\d]", "[]0-9]"],
	["\\.\\bx\\b", "\\.\\bx\\b"],
	["\\w", "[A-Za-z0-9_]"],
])("grepPattern() makes %s to %s", (pattern, expected) => {
	expect(grepPattern(pattern)).toBe(expected);
});
