/** Where the user types: several lines, earlier lines with the arrow keys, completion, and markers for long pastes. */

import type { AutocompleteProvider, EditorTheme } from "@earendil-works/pi-tui";
import { markerBefore, markerBehind } from "../conversation/image-marker.ts";
import type { InputHistory } from "./input-history.ts";
import type { Typing } from "./key-question.ts";
import type { PiTui } from "./pi-tui.ts";
import type { Screen } from "./screen.ts";
import type { Theme } from "./theme.ts";

/** The editor of a chat. */
export interface ChatEditor extends Typing {
	readonly isEmpty: boolean;
	clear(): void;
	/** Puts `text` where the cursor is, and a space behind it. */
	insert(text: string): void;
	/** The same when `text` is there; what is submitted before waits for it. Nothing is put when it is undefined. */
	insertLater(text: Promise<string | undefined>): void;
	/** Asks `take` about what is pasted: false leaves it to the editor. */
	takePastes(take: (pasted: string) => boolean): void;
	/** Offers what was typed earlier, and keeps what is typed from now on. */
	remember(history: InputHistory): void;
	completeWith(provider: AutocompleteProvider): void;
}

/** Opens an editor at the foot of the screen. `submit` gets what was typed, with what was pasted in its place. */
export function openEditor(screen: Screen, submit: (text: string) => void): ChatEditor {
	const { pi, theme, tui } = screen;
	const editor = new pi.Editor(tui, editorTheme(theme), { paddingX: 1, autocompleteMaxVisible: 8 });
	let history: InputHistory | undefined;
	let keys = 0;
	let take = (_pasted: string) => false;
	const say = (text: string) => {
		history?.add(text);
		if (!text.startsWith(" ")) editor.addToHistory(text);
		submit(text);
	};
	const coming = new Set<Promise<string | undefined>>();
	editor.onSubmit = (text) => {
		if (coming.size === 0) return say(text);
		const late = [...coming];
		coming.clear();
		void Promise.all(late).then((texts) => say([...texts.filter((one) => one !== undefined), text].join(" ").trim()));
	};
	const insert = (text: string) => {
		editor.insertTextAtCursor(`${text} `);
		screen.draw();
	};
	const handle = editor.handleInput.bind(editor);
	editor.handleInput = (key) => {
		keys++;
		const pasted = pastedText(key);
		if (pasted !== undefined && take(pasted)) return;
		for (let times = keyPresses(pi, editor, key); times > 0; times--) handle(key);
	};
	screen.focus(editor);
	return {
		get keys() {
			return keys;
		},
		get isEmpty() {
			return editor.getText() === "";
		},
		clear: () => editor.setText(""),
		insert,
		insertLater(text) {
			coming.add(text);
			void text.then((said) => {
				// What was submitted meanwhile has taken it along.
				if (coming.delete(text) && said !== undefined) insert(said);
			});
		},
		takePastes(taking) {
			take = taking;
		},
		pass: (key) => editor.handleInput(key),
		remember(opened) {
			history = opened;
			for (const entry of opened.entries) editor.addToHistory(entry);
		},
		completeWith: (provider) => editor.setAutocompleteProvider(provider),
	};
}

const pasteBegins = "\u001b[200~";
const pasteEnds = "\u001b[201~";

/** What is pasted: the library passes it on in one piece. Undefined for other keys. */
function pastedText(key: string): string | undefined {
	const isPaste = key.startsWith(pasteBegins) && key.endsWith(pasteEnds);
	return isPaste ? key.slice(pasteBegins.length, -pasteEnds.length) : undefined;
}

/** A key that deletes one character deletes a marker as a whole: so many times it is pressed. */
function keyPresses(pi: PiTui, editor: InstanceType<PiTui["Editor"]>, key: string): number {
	const isBack = pi.matchesKey(key, "backspace");
	if (!isBack && !pi.matchesKey(key, "delete")) return 1;
	const { line, col } = editor.getCursor();
	const text = editor.getLines()[line] ?? "";
	const marker = isBack ? markerBefore(text.slice(0, col)) : markerBehind(text.slice(col));
	return Math.max(1, [...new Intl.Segmenter().segment(marker)].length);
}

function editorTheme(theme: Theme): EditorTheme {
	return {
		borderColor: theme.dim,
		selectList: {
			selectedPrefix: theme.accent,
			selectedText: theme.accent,
			description: theme.dim,
			scrollInfo: theme.dim,
			noMatch: theme.dim,
		},
	};
}
