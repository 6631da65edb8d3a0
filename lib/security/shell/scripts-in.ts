/** What runs before a word is used. */

import type { Script, Word } from "./syntax.ts";

/** The scripts of the substitutions of `word`, those in `${x:-$(…)}` and `${x#$(…)}` included. */
export function scriptsIn(word: Word): Script[] {
	return word.flatMap((part) => {
		if (part.kind === "substitution") return [part.script];
		return part.kind === "variable" ? scriptsIn(part.otherwise ?? part.change ?? []) : [];
	});
}
