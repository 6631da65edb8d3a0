/** Where the user types: several lines, earlier lines with the arrow keys, completion, and markers for long pastes. */

import type { AutocompleteProvider, EditorTheme } from "@earendil-works/pi-tui";
import type { InputHistory } from "./input-history.ts";
import type { Typing } from "./key-question.ts";
import type { Screen } from "./screen.ts";
import type { Theme } from "./theme.ts";

/** The editor of a chat. */
export interface ChatEditor extends Typing {
	readonly isEmpty: boolean;
	clear(): void;
	/** Puts `text` where the cursor is. */
	insert(text: string): void;
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
	editor.onSubmit = (text) => {
		history?.add(text);
		if (!text.startsWith(" ")) editor.addToHistory(text);
		submit(text);
	};
	const handle = editor.handleInput.bind(editor);
	editor.handleInput = (key) => {
		keys++;
		handle(key);
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
		insert: (text) => editor.insertTextAtCursor(text),
		pass: (key) => editor.handleInput(key),
		remember(opened) {
			history = opened;
			for (const entry of opened.entries) editor.addToHistory(entry);
		},
		completeWith: (provider) => editor.setAutocompleteProvider(provider),
	};
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
