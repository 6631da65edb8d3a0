/**
 * The screen of a chat, in the terminal's own buffer. What has scrolled away is never drawn again, so that it stays in the
 * scrollback as it is, once, below what the user did before.
 */

import type { Component, Terminal } from "@earendil-works/pi-tui";
import { createAwaitedReply } from "./awaited-reply.ts";
import { textBlock } from "./blocks.ts";
import { createLayout, type Layout } from "./layout.ts";
import type { PiTui } from "./pi-tui.ts";
import type { Theme } from "./theme.ts";
import { hearTypedAhead } from "./typed-ahead.ts";

/** A part of the screen that may change. */
export interface LivePart extends Disposable {
	/** Draws it again. */
	changed(): void;
}

/** The screen of one chat. Text that is given to it must be safe for a terminal. */
export interface Screen {
	readonly pi: PiTui;
	readonly theme: Theme;
	/** For what draws by itself, such as an editor. */
	readonly tui: MainScreen;
	/** Shows `block` for good. `isApart`: an empty line comes before it. */
	add(block: Component, isApart?: boolean): void;
	/** Shows lines for good; what is too long wraps behind `indent`. */
	addLines(lines: readonly string[], options?: { readonly isApart?: boolean; readonly indent?: string }): void;
	/** Shows `part` under what was said, until it is disposed of. */
	live(part: Component): LivePart;
	/** Shows `part` where the user types, and gives it the keys; what was there before comes back when it is disposed of. */
	focus(part: Component): LivePart;
	/** The lowest line. */
	setStatus(part: Component): void;
	/** Sees keys before anything else; true when a key has been dealt with. */
	onKey(listener: (key: string) => boolean): Disposable;
	/** Draws what has changed, soon. */
	draw(): void;
	/** Gives the terminal away for a while. */
	pause(): void;
	/** Draws anew, below what was shown meanwhile. */
	resume(): void;
	/** Puts the terminal back as it was; what was said stays above the prompt of the shell. */
	end(): void;
}

type MainScreen = InstanceType<PiTui["TuiMainScreen"]>;

/** How a screen begins. */
export interface ScreenOptions {
	/** The first line has been written already, without its end. */
	readonly isLineBegun: boolean;
}

/** Takes the terminal. */
export function openScreen(pi: PiTui, theme: Theme, { isLineBegun }: ScreenOptions): Screen {
	const layout = createLayout(() => terminal.rows);
	const terminal = keepingScrollback(pi, () => refit(layout, terminal));
	const tui = new pi.TuiMainScreen(terminal);
	for (const child of [layout.transcript, layout.going, layout.foot]) tui.addChild(child);
	const draw = () => tui.requestRender();
	const add = (block: Component, isApart = false) => {
		forgetFarAbove(layout, tui);
		layout.transcript.add(block, isApart && layout.transcript.height(terminal.columns) > 0);
		draw();
	};
	if (isLineBegun) tui.restoreRenderState(oneLine(terminal));
	tui.start();
	return {
		pi,
		theme,
		tui,
		add,
		addLines: (lines, { isApart = false, indent = "" } = {}) => add(textBlock(pi, lines, indent), isApart),
		live: (part) => shown(layout.parts, part, draw),
		focus(part) {
			const show = () => {
				tui.setFocus(layout.focused.at(-1) ?? null);
				draw();
			};
			return shown(layout.focused, part, show);
		},
		setStatus(part) {
			layout.status = part;
			draw();
		},
		onKey(listener) {
			const remove = tui.addInputListener((key) => (listener(key) ? { consume: true } : undefined));
			return { [Symbol.dispose]: remove };
		},
		draw,
		pause: () => tui.stop(),
		resume() {
			refit(layout, terminal);
			tui.start();
			tui.requestRender(true);
		},
		end() {
			layout.focused.length = 0;
			layout.parts.length = 0;
			// The library writes a space where the cursor stands: below the last word.
			layout.status = emptyLine;
			tui.renderNow();
			tui.stop();
		},
	};
}

/** The library's records as they are when one line was drawn. */
function oneLine({ columns, rows }: Pick<Terminal, "columns" | "rows">): ReturnType<MainScreen["captureRenderState"]> {
	const size = { previousWidth: columns, previousHeight: rows };
	const cursor = { cursorRow: 0, hardwareCursorRow: 0, maxLinesRendered: 1, previousViewportTop: 0 };
	return { previousLines: [""], ...size, ...cursor };
}

const emptyLine: Component = { render: () => [""], invalidate() {} };

/** Keeps `part` in `list` until it is disposed of. */
function shown(list: Component[], part: Component, draw: () => void): LivePart {
	list.push(part);
	draw();
	return {
		changed: draw,
		[Symbol.dispose]() {
			const at = list.lastIndexOf(part);
			if (at >= 0) list.splice(at, 1);
			draw();
		},
	};
}

/** Lines above the visible ones that are kept for a terminal that becomes taller. */
const keptAbove = 120;
/** Kept lines are forgotten in portions. */
const portion = 200;

/** Forgets what is far above the visible lines, in the library's records too: it goes on as if nothing had been there. */
function forgetFarAbove({ transcript }: Layout, tui: MainScreen): void {
	const { columns, rows } = tui.terminal;
	if (transcript.height(columns) < keptAbove + portion + rows) return;
	const state = tui.captureRenderState();
	const lines = state.previousViewportTop - keptAbove;
	if (lines <= 0 || state.previousWidth !== columns) return;
	transcript.forget(lines, columns);
	tui.restoreRenderState({
		...state,
		previousLines: state.previousLines.slice(lines),
		cursorRow: state.cursorRow - lines,
		hardwareCursorRow: state.hardwareCursorRow - lines,
		maxLinesRendered: state.maxLinesRendered - lines,
		previousViewportTop: state.previousViewportTop - lines,
	});
}

/** After a change of the terminal's size everything visible is drawn anew: only what fits, as the rest is in the scrollback. */
function refit({ transcript, going, foot }: Layout, { columns, rows }: Pick<Terminal, "columns" | "rows">): void {
	const others = going.render(columns).length + foot.render(columns).length;
	transcript.refit(Math.max(0, rows - others), columns);
}

const eraseScrollback = "\u001b[3J";
/** Around each frame. */
const frameBegins = "\u001b[?2026h";
const frameEnds = "\u001b[?2026l";
/** Terminals disagree about the width of some signs: a line that one of them finds too long is cut there, and moves nothing below it. */
const wrapOff = "\u001b[?7l";
const wrapOn = "\u001b[?7h";

/** Drawn for a terminal that is narrower: it wraps the lines then, where the library would give up. */
const fewestColumns = 10;
/** Of a terminal that does not say how wide it is. */
const fallbackColumns = 80;

/** The process's terminal, which keeps what has scrolled away: it also holds what the user did before. */
function keepingScrollback(pi: PiTui, onResize: () => void): Terminal {
	const terminal = new pi.ProcessTerminal();
	const realColumns = () => process.stdout.columns || fallbackColumns;
	Object.defineProperty(terminal, "columns", { get: () => Math.max(fewestColumns, realColumns()) });
	const write = terminal.write.bind(terminal);
	terminal.write = (data) =>
		write(
			data
				.replaceAll(eraseScrollback, "")
				.replaceAll(frameBegins, frameBegins + wrapOff)
				.replaceAll(frameEnds, wrapOn + frameEnds),
		);
	const attributes = createAwaitedReply();
	const stop = terminal.stop.bind(terminal);
	terminal.stop = () => {
		attributes.swallow();
		stop();
	};
	const start = terminal.start.bind(terminal);
	terminal.start = (onInput, redraw) => {
		attributes.asked();
		const sizeNow = () => `${terminal.columns}x${terminal.rows}`;
		let size = sizeNow();
		start(hearTypedAhead(onInput), () => {
			const isOther = sizeNow() !== size;
			size = sizeNow();
			if (isOther) onResize();
			redraw();
		});
	};
	return terminal;
}
