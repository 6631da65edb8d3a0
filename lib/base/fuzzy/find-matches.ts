/** The chain of strategies: the first one that finds something answers, whether it is one place or several. */

import { type Matches, type Span, type Strategy, strategies } from "./match.ts";
import {
	findExact,
	findFolded,
	findPlain,
	findUnescaped,
	foldedWindows,
	hasTypography,
	lineSpans,
	plainWindows,
	trimmedEndWindows,
	trimmedWindows,
	type Wanted,
} from "./strategies.ts";
import type { TextLines } from "./text-lines.ts";

type Find = (text: TextLines, wanted: Wanted) => { readonly spans: readonly Span[]; readonly areLines: boolean };

/** The strategies for a text that is there, written in another way. */
const finders: Readonly<Partial<Record<Strategy, Find>>> = {
	exact: (text, wanted) => ({ spans: findExact(text.text, wanted.text), areLines: false }),
	line_trimmed: byLines(trimmedWindows),
	whitespace_normalized: (text, wanted) => ({ spans: findFolded(text, wanted), areLines: false }),
	indentation_flexible: byLines(foldedWindows),
	escape_normalized: (text, wanted) => ({ spans: findUnescaped(text, wanted), areLines: false }),
	trimmed_boundary: byLines(trimmedEndWindows),
	unicode_normalized(text, wanted) {
		if (!hasTypography(text, wanted)) return { spans: [], areLines: false };
		const spans = findPlain(text, wanted);
		return spans.length > 0 ? { spans, areLines: false } : byLines(plainWindows)(text, wanted);
	},
};

/** All places of the first strategy that finds one; undefined when the text is not there. Resemblance is not enough. */
export function findMatches(text: TextLines, wanted: Wanted): Matches | undefined {
	for (const strategy of strategies) {
		const found = finders[strategy]?.(text, wanted);
		if (found !== undefined && found.spans.length > 0) return { strategy, similarity: 1, ...found };
	}
	return undefined;
}

function byLines(windows: (text: TextLines, wanted: Wanted) => readonly number[]): Find {
	return (text, wanted) => ({ spans: lineSpans(text, windows(text, wanted), wanted.lines.length), areLines: true });
}
