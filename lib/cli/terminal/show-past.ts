/** What was said last in a session that is gone on with. */

import { archiveOf } from "../../store/search/archive.ts";
import type { Store } from "../../store/store.ts";
import { printable } from "../runtime/paint.ts";
import { createPieceDrawer } from "./markdown.ts";
import { createPieceCutter } from "./pieces.ts";
import type { Screen } from "./screen.ts";

/** Messages that are shown, and characters of each. */
const shownMessages = 6;
const longestMessage = 4_000;

/** Shows the last messages of the session as they were shown when they were said; nothing for a session without any. */
export function showPast(screen: Screen, store: Store, sessionId: string): void {
	const { end } = archiveOf((work) => store.read(work)).spokenEnds(sessionId, shownMessages);
	if (end.length === 0) return;
	const session = store.getSession(sessionId);
	const about = [session?.title ?? sessionId, `${session?.messageCount ?? end.length} messages`].join(" · ");
	screen.addLines([screen.theme.dim(printable(about))], { isApart: true });
	for (const { role, content } of end) {
		const text = printable(content.length > longestMessage ? `${content.slice(0, longestMessage)}…` : content);
		if (role === "user") showQuestion(screen, text);
		else showAnswer(screen, text);
	}
}

/** Shows what the user has said. `text` must be safe for a terminal. */
export function showQuestion(screen: Screen, text: string): void {
	const { theme } = screen;
	const lines = text
		.split("\n")
		.map((line, at) => `${at === 0 ? theme.accent(theme.symbols.prompt) : " "} ${theme.bold(line)}`);
	screen.addLines(lines, { isApart: true, indent: "  " });
}

function showAnswer(screen: Screen, text: string): void {
	const drawer = createPieceDrawer(screen.pi, screen.theme);
	const cutter = createPieceCutter();
	const pieces = [...cutter.add(text), ...cutter.end()];
	for (const [at, piece] of pieces.entries()) screen.add(drawer.component(piece), at === 0 || piece.isApart);
}
