/** How a chat's screen is made up: what was said, what is going on, where the user types, and the lowest line. */

import type { Component } from "@earendil-works/pi-tui";
import { createTranscript, type Transcript } from "./transcript.ts";

/** The parts of a screen, from its top to its foot. */
export interface Layout {
	readonly transcript: Transcript;
	/** What may still change, one under the other. */
	readonly going: Component;
	/** What the user types into, above the status line. */
	readonly foot: Component;
	readonly parts: Component[];
	/** The last one is shown. */
	readonly focused: Component[];
	status: Component;
}

/** A part without lines. */
const nothing: Component = { render: () => [], invalidate() {} };

/** Rows for what is going on, however tall the foot is. */
const fewestLiveRows = 3;

/** An empty screen; `rows` is asked for each frame. */
export function createLayout(rows: () => number): Layout {
	const parts: Component[] = [];
	const focused: Component[] = [];
	const layout: Pick<Layout, "status"> = { status: nothing };
	const foot: Component = {
		render: (width) => [...(focused.at(-1)?.render(width) ?? []), ...layout.status.render(width)],
		invalidate() {
			for (const part of [...focused, layout.status]) part.invalidate();
		},
	};
	const going: Component = {
		render(width) {
			const lines = parts.flatMap((part) => part.render(width));
			// A part that reaches out of the screen could only be changed by drawing everything anew.
			const room = Math.max(fewestLiveRows, rows() - foot.render(width).length - 1);
			return lines.length > room ? lines.slice(-room) : lines;
		},
		invalidate() {
			for (const part of parts) part.invalidate();
		},
	};
	return Object.assign(layout, { transcript: createTranscript(), going, foot, parts, focused });
}
