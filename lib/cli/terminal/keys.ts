/** Keys that mean something wherever the cursor is: Ctrl-C stops, and twice it leaves; Ctrl-D leaves an empty line. */

import type { ChatState } from "./chat-state.ts";
import type { ChatEditor } from "./editor.ts";
import type { Screen } from "./screen.ts";

/** What the keys act on. */
export interface KeyScene {
	readonly state: ChatState;
	readonly editor: ChatEditor;
	/** Ends the chat, after the turn that runs. */
	leave(): void;
	/** Puts what the clipboard holds into the editor. */
	pasteClipboard(): void;
}

/** So long after the first Ctrl-C the second one leaves. */
const twiceMs = 2_000;

/** Listens until it is disposed of. */
export function listenForKeys(screen: Screen, { state, editor, leave, pasteClipboard }: KeyScene): Disposable {
	const { pi } = screen;
	let pressedAt = Number.NEGATIVE_INFINITY;
	const hint = (text: string | undefined) => {
		if (state.hint === text) return;
		state.hint = text;
		screen.draw();
	};
	const interrupt = () => {
		const isTwice = performance.now() - pressedAt < twiceMs;
		pressedAt = performance.now();
		if (state.turn !== undefined || state.isCommanded) {
			if (isTwice) state.stop();
			else process.kill(process.pid, "SIGINT");
			return hint("Ctrl-C again leaves");
		}
		if (state.commands === undefined) return state.stop();
		if (isTwice) return leave();
		editor.clear();
		hint("Ctrl-C again leaves");
	};
	return screen.onKey((key) => {
		if (pi.isKeyRelease(key)) return false;
		if (pi.matchesKey(key, "ctrl+c")) {
			interrupt();
			return true;
		}
		hint(undefined);
		pressedAt = Number.NEGATIVE_INFINITY;
		if (pi.matchesKey(key, "ctrl+z")) return suspend(screen);
		if (pi.matchesKey(key, "ctrl+v")) {
			pasteClipboard();
			return true;
		}
		if (!pi.matchesKey(key, "ctrl+d") || !editor.isEmpty) return false;
		if (state.turn !== undefined) hint("leaving when the model is done; Ctrl-C stops it");
		leave();
		return true;
	});
}

/** Where nobody can stop us (no shell with jobs stands behind the terminal) the chat is back after this. */
const backMs = 100;

/** Gives the terminal to the shell until the user comes back with `fg`. */
function suspend(screen: Screen): boolean {
	if (process.platform === "win32") return false;
	screen.pause();
	// A stopped process has no timers: this one fires when it goes on.
	setTimeout(() => screen.resume(), backMs);
	// The whole group: whoever started hermes may have a script around it.
	process.kill(0, "SIGTSTP");
	return true;
}
