/** What a search for a text in another one gives. */

/** The strategies in the order they are tried. The names are part of what results and logs say. */
export const strategies = [
	"exact",
	"line_trimmed",
	"whitespace_normalized",
	"indentation_flexible",
	"escape_normalized",
	"trimmed_boundary",
	"unicode_normalized",
	"block_anchor",
	"context_aware",
] as const;

/** How a text was found, from exact to merely alike. */
export type Strategy = (typeof strategies)[number];

/** Offsets in the searched text. */
export interface Span {
	readonly start: number;
	readonly end: number;
}

/** The places of the first strategy that finds any. */
export interface Matches {
	readonly strategy: Strategy;
	/** Left to right; none reaches into the next. */
	readonly spans: readonly Span[];
	/** 1 for all but the last two strategies, where lines may differ. */
	readonly similarity: number;
	/** Every span is whole lines, without the line feed of the last. */
	readonly areLines: boolean;
}
