/** The hosts that a user has names for, to offer them. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../../../base/attempt.ts";
import { configLines } from "./config-lines.ts";

/** Names of `Host` lines in ~/.ssh/config, in their order; patterns are no names. Included files are not looked into. */
export function hostNames(home: string): string[] {
	const text = attempt(() => readFileSync(join(home, ".ssh/config"), "utf8"));
	if (!text.ok) return [];
	const lines = attempt(() => [...configLines(text.value)]);
	if (!lines.ok) return [];
	const names = lines.value.filter(({ keyword }) => keyword === "host").flatMap(({ words }) => words);
	return [...new Set(names.filter((name) => !/[*?!]/.test(name)))];
}
