/** Small components: text that wraps, and parts that are put together when they are drawn. */

import type { Component } from "@earendil-works/pi-tui";
import type { PiTui } from "./pi-tui.ts";

/** Text with styles, one line after the other; what is too long wraps, and goes on behind `indent`. */
export function textBlock(pi: PiTui, lines: readonly string[], indent = ""): Component {
	let cached: { readonly width: number; readonly lines: readonly string[] } | undefined;
	return {
		render(width) {
			if (cached?.width !== width) cached = { width, lines: wrapped(pi, lines, { indent, width }) };
			return cached.lines;
		},
		invalidate() {
			cached = undefined;
		},
	};
}

/** A component whose lines are made anew for each frame; a line that is too long is cut. */
export function liveBlock(pi: PiTui, lines: (width: number) => readonly string[]): Component {
	return {
		render: (width) => lines(width).map((line) => cut(pi, line, width)),
		invalidate() {},
	};
}

/** `line`, cut where a terminal of `width` columns ends. */
export function cut(pi: PiTui, line: string, width: number): string {
	return pi.visibleWidth(line) <= width ? line : pi.truncateToWidth(line, width, "…");
}

/** `lines`, wrapped into `width` columns; with an indent, what goes on stands below the second column where there is one. */
export function wrapped(
	pi: PiTui,
	lines: readonly string[],
	{ indent, width }: { readonly indent: string; readonly width: number },
): readonly string[] {
	return lines.flatMap((line) => {
		const tabless = line.replaceAll("\t", "    ");
		if (pi.visibleWidth(tabless) <= width) return [tabless];
		const [first = "", ...rest] = pi.wrapTextWithAnsi(tabless, Math.max(1, width));
		const column = indent === "" ? 0 : (secondColumn(tabless) ?? pi.visibleWidth(indent));
		const room = width - column;
		// On a narrow terminal there is no room for an indent.
		if (room < narrowest || rest.length === 0) return [first, ...rest].map((part) => cut(pi, part, width));
		const others = pi.wrapTextWithAnsi(rest.join(" "), room);
		return [first, ...others.map((part) => " ".repeat(column) + part)].map((part) => cut(pi, part, width));
	});
}

const narrowest = 16;
const widestColumn = 44;

/** Where the second column of a table in plain text begins; undefined when it is far to the right, or there is none. */
function secondColumn(line: string): number | undefined {
	const first = /^ *\S+(?: \S+)* {2,}(?=\S)/.exec(Bun.stripANSI(line))?.[0].length;
	return first === undefined || first > widestColumn ? undefined : first;
}
