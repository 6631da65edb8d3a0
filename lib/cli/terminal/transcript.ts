/** What was said so far, as far as a terminal can still show it; the rest belongs to the terminal's scrollback alone. */

import type { Component } from "@earendil-works/pi-tui";

/** Blocks one under the other. A block that was added never changes. */
export interface Transcript extends Component {
	/** `isApart`: an empty line comes before it. */
	add(block: Component, isApart: boolean): void;
	/** Lines at `width` that are drawn. */
	height(width: number): number;
	/** Draws the first `lines` of them no more. */
	forget(lines: number, width: number): void;
	/** After a change of the terminal's size: draws the last `room` lines again, and whatever was never drawn. */
	refit(room: number, width: number): void;
}

interface Block {
	readonly component: Component;
	readonly isApart: boolean;
}

/** Lines above the first drawn one that are kept: a terminal that becomes taller takes such lines back from its scrollback. */
const spareLines = 200;

/** An empty one. */
export function createTranscript(): Transcript {
	let blocks: Block[] = [];
	/** Blocks before the first drawn one, and lines of that one, at the drawn width, that are not drawn. */
	let spare = 0;
	let skipped = 0;
	/** Blocks that a frame has had. */
	let seen = 0;
	let drawn: { readonly width: number; readonly lines: readonly string[] } | undefined;

	const linesOf = ({ component, isApart }: Block, width: number): readonly string[] =>
		isApart ? ["", ...component.render(width)] : component.render(width);
	const heightOf = (some: readonly Block[], width: number) =>
		some.reduce((height, block) => height + linesOf(block, width).length, 0);
	const all = (width: number): readonly string[] => {
		if (drawn?.width === width) return drawn.lines;
		// At another width other lines are the first ones: the block is shown as a whole again.
		if (drawn !== undefined) skipped = 0;
		const lines = blocks
			.slice(spare)
			.flatMap((block) => linesOf(block, width))
			.slice(skipped);
		drawn = { width, lines };
		return lines;
	};
	const skip = (lines: number, width: number) => {
		skipped += lines;
		for (let first = blocks[spare]; first !== undefined; first = blocks[spare]) {
			const height = linesOf(first, width).length;
			if (height > skipped) break;
			skipped -= height;
			spare++;
		}
	};
	const dropSpare = (width: number) => {
		let height = heightOf(blocks.slice(0, spare), width);
		let dropped = 0;
		for (const block of blocks.slice(0, spare)) {
			height -= linesOf(block, width).length;
			if (height < spareLines) break;
			dropped++;
		}
		blocks = blocks.slice(dropped);
		spare -= dropped;
		seen = Math.max(0, seen - dropped);
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
			skip(lines, width);
			dropSpare(width);
			drawn = { width, lines: left };
		},
		refit(room, width) {
			spare = 0;
			skipped = 0;
			drawn = undefined;
			const unseen = heightOf(blocks.slice(seen), width);
			skip(Math.max(0, heightOf(blocks, width) - Math.max(room, unseen)), width);
		},
		render(width) {
			seen = blocks.length;
			return all(width);
		},
		invalidate() {
			for (const { component } of blocks) component.invalidate();
			drawn = undefined;
		},
	};
}
