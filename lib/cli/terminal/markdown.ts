/** Draws pieces of answers. */

import type { Component, MarkdownTheme } from "@earendil-works/pi-tui";
import { highlightCode } from "./highlight.ts";
import type { PiTui } from "./pi-tui.ts";
import type { CodePiece, MarkdownPiece, Piece } from "./pieces.ts";
import type { Theme } from "./theme.ts";

/** Makes components of pieces. Text must be safe for a terminal already. */
export interface PieceDrawer {
	component(piece: Piece): Component;
}

const codeIndent = "  ";

/** Draws with the styles of `theme`. */
export function createPieceDrawer(pi: PiTui, theme: Theme): PieceDrawer {
	const looks = markdownTheme(theme);
	const markdown = ({ text }: MarkdownPiece) => withoutPadding(new pi.Markdown(text, 0, 0, looks));
	return { component: (piece) => (piece.kind === "markdown" ? markdown(piece) : codeBlock(piece, { pi, theme })) };
}

/** Lines of code, wrapped where the terminal is too narrow; what is copied from the screen then has no marks in it. */
function codeBlock(piece: CodePiece, { pi, theme }: { readonly pi: PiTui; readonly theme: Theme }): Component {
	const label = theme.dim(piece.language === "" ? "```" : `\`\`\`${piece.language}`);
	let cached: { readonly width: number; readonly lines: readonly string[] } | undefined;
	const render = (width: number) => {
		const inner = Math.max(1, width - codeIndent.length);
		const code = highlightCode(
			piece.lines.map((line) => line.replaceAll("\t", "    ")),
			piece.language,
			theme,
		);
		const body = code.flatMap((line) =>
			(line === "" ? [""] : pi.wrapTextWithAnsi(line, inner)).map((part) => fitting(pi, codeIndent + part, width)),
		);
		return [
			...(piece.opens ? [fitting(pi, label, width)] : []),
			...body,
			...(piece.closes ? [fitting(pi, theme.dim("```"), width)] : []),
		];
	};
	return {
		render(width) {
			if (cached?.width !== width) cached = { width, lines: render(width) };
			return cached.lines;
		},
		invalidate() {
			cached = undefined;
		},
	};
}

/** Spaces up to the right edge would wrap when the terminal becomes narrower, and be copied with the text. */
function withoutPadding(component: Component): Component {
	let padded: readonly string[] | undefined;
	let lines: readonly string[] = [];
	return {
		render(width) {
			const drawn = component.render(width);
			if (drawn !== padded) lines = drawn.map((line) => line.trimEnd());
			padded = drawn;
			return lines;
		},
		invalidate: () => component.invalidate(),
	};
}

/** A line that a terminal of `width` columns can show. */
export function fitting(pi: PiTui, line: string, width: number): string {
	return pi.visibleWidth(line) <= width ? line : pi.truncateToWidth(line, width, "…");
}

function markdownTheme(theme: Theme): MarkdownTheme {
	return {
		heading: (text) => theme.bold(theme.accent(text)),
		link: theme.underline,
		linkUrl: theme.dim,
		code: theme.warning,
		codeBlock: (text) => text,
		codeBlockBorder: theme.dim,
		quote: theme.italic,
		quoteBorder: theme.dim,
		hr: theme.dim,
		listBullet: theme.accent,
		bold: theme.bold,
		italic: theme.italic,
		strikethrough: theme.strike,
		underline: theme.underline,
		highlightCode: (code, language = "") => [...highlightCode(code.split("\n"), language, theme)],
	};
}
