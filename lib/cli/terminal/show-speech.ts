/** Shows what the model says: what is complete for good, and the rest as it grows. */

import type { Component } from "@earendil-works/pi-tui";
import type { AgentEvent } from "../../agent/events.ts";
import { printable } from "../runtime/paint.ts";
import { liveBlock } from "./blocks.ts";
import { createPieceDrawer } from "./markdown.ts";
import { createPieceCutter, type Piece } from "./pieces.ts";
import type { LivePart, Screen } from "./screen.ts";
import type { WorkView } from "./show-work.ts";

/** What the model says on `screen`; while it speaks, `work` says nothing. */
export function createSpeechView(
	screen: Screen,
	work: WorkView,
	{ showsReasoning }: { readonly showsReasoning: boolean },
) {
	const answer = createAnswerView(screen);
	const thought = createThoughtView(screen);
	let isStreamed = false;
	const end = () => {
		thought.end();
		answer.end();
	};
	const delta = (text: string) => {
		if (text === "") return;
		thought.end();
		work.hide();
		isStreamed = true;
		answer.add(printable(text));
	};
	return {
		delta,
		end,
		reason(text: string) {
			if (!showsReasoning) return;
			work.hide();
			thought.add(printable(text));
		},
		whole({ text, continues }: Extract<AgentEvent, { type: "assistant_message" }>) {
			if (!isStreamed) delta(text);
			isStreamed = false;
			if (continues === true) return;
			end();
			work.show();
		},
	};
}

function createAnswerView(screen: Screen) {
	const drawer = createPieceDrawer(screen.pi, screen.theme);
	let cutter = createPieceCutter();
	let isFirst = true;
	let part: LivePart | undefined;
	let drawn: { readonly piece: Piece; readonly component: Component } | undefined;
	const growing: Component = {
		render(width) {
			if (drawn === undefined) return [];
			const lines = drawn.component.render(width);
			return isFirst || drawn.piece.isApart ? ["", ...lines] : lines;
		},
		invalidate: () => drawn?.component.invalidate(),
	};
	const add = (pieces: readonly Piece[]) => {
		for (const piece of pieces) {
			screen.add(drawer.component(piece), isFirst || piece.isApart);
			isFirst = false;
		}
	};
	return {
		add(text: string) {
			part ??= screen.live(growing);
			add(cutter.add(text));
			const piece = cutter.tail;
			drawn = piece && { piece, component: drawer.component(piece) };
			part.changed();
		},
		end() {
			add(cutter.end());
			cutter = createPieceCutter();
			isFirst = true;
			drawn = undefined;
			part?.[Symbol.dispose]();
			part = undefined;
		},
	};
}

/** Lines of a thought that are shown while it goes on. */
const liveThoughtLines = 4;

function createThoughtView(screen: Screen) {
	const { pi, theme } = screen;
	let thought = "";
	let part: LivePart | undefined;
	const styled = (lines: readonly string[]) => lines.map((line) => theme.dim(theme.italic(line)));
	const growing = liveBlock(pi, () => ["", ...styled(thought.trimEnd().split("\n").slice(-liveThoughtLines))]);
	return {
		add(text: string) {
			thought += text;
			part ??= screen.live(growing);
			part.changed();
		},
		end() {
			part?.[Symbol.dispose]();
			part = undefined;
			if (thought.trim() !== "") screen.addLines(styled(thought.trim().split("\n")), { isApart: true });
			thought = "";
		},
	};
}
