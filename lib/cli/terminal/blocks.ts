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

/** `lines`, wrapped into `width` columns. */
export function wrapped(
	pi: PiTui,
	lines: readonly string[],
	{ indent, width }: { readonly indent: string; readonly width: number },
): readonly string[] {
	// On a very narrow terminal there is no room for an indent.
	const room = width - pi.visibleWidth(indent);
	const hanging = room >= 8 ? indent : "";
	return lines.flatMap((line) => {
		const tabless = line.replaceAll("\t", "    ");
		if (pi.visibleWidth(tabless) <= width) return [tabless];
		const [first = "", ...rest] = pi.wrapTextWithAnsi(tabless, Math.max(1, width));
		if (hanging === "" || rest.length === 0) return [first, ...rest].map((part) => cut(pi, part, width));
		const others = pi.wrapTextWithAnsi(rest.join(" "), room);
		return [first, ...others.map((part) => hanging + part)].map((part) => cut(pi, part, width));
	});
}
