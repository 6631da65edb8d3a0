/** What was said so far, as far as a terminal can still show it; the rest belongs to the terminal's scrollback alone. */

import type { Component } from "@earendil-works/pi-tui";

/** Blocks one under the other. A block that was added never changes. */
export interface Transcript extends Component {
	/** `isApart`: an empty line comes before it. */
	add(block: Component, isApart: boolean): void;
	/** Lines at `width` that can still be drawn again. */
	height(width: number): number;
	/** Forgets the first `lines` of them. */
	forget(lines: number, width: number): void;
}

interface Block {
	readonly component: Component;
	readonly isApart: boolean;
}

/** An empty one. */
export function createTranscript(): Transcript {
	let blocks: Block[] = [];
	/** Lines of the first block, at `width`, that are forgotten. */
	let skipped = 0;
	let drawn: { readonly width: number; readonly lines: readonly string[] } | undefined;

	const linesOf = ({ component, isApart }: Block, width: number): readonly string[] =>
		isApart ? ["", ...component.render(width)] : component.render(width);
	const all = (width: number): readonly string[] => {
		if (drawn?.width === width) return drawn.lines;
		// At another width other lines are the first ones: the block is shown as a whole again.
		if (drawn !== undefined) skipped = 0;
		const lines = blocks.flatMap((block) => linesOf(block, width)).slice(skipped);
		drawn = { width, lines };
		return lines;
	};

	return {
		add(component, isApart) {
			const block = { component, isApart };
			blocks.push(block);
			if (drawn !== undefined) drawn = { width: drawn.width, lines: [...drawn.lines, ...linesOf(block, drawn.width)] };
		},
		height: (width) => all(width).length,
		forget(lines, width) {
			const left = all(width).slice(lines);
			skipped += lines;
			let first = blocks[0];
			while (first !== undefined) {
				const height = linesOf(first, width).length;
				if (height > skipped) break;
				skipped -= height;
				blocks = blocks.slice(1);
				first = blocks[0];
			}
			drawn = { width, lines: left };
		},
		render: all,
		invalidate() {
			for (const { component } of blocks) component.invalidate();
			drawn = undefined;
		},
	};
}
