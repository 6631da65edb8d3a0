/** A question that is answered by one key. */

import type { Component } from "@earendil-works/pi-tui";
import { wrapped } from "./blocks.ts";
import type { Screen } from "./screen.ts";

/** One answer. */
export interface KeyChoice<T> {
	/** One letter or digit. */
	readonly key: string;
	/** With the key in brackets: `[y]es`. */
	readonly label: string;
	readonly value: T;
}

/** What is asked, and how the answer is protected from what the user was typing when the question came. */
export interface KeyQuestion<T> {
	/** One line; what it is about stands above it. Safe for a terminal. */
	readonly title: string;
	readonly choices: readonly KeyChoice<T>[];
	/** Resolves the question with no answer. */
	readonly signal: AbortSignal;
	/** Gets the keys that come before the question listens. */
	readonly typing: Typing;
}

/** Keys that are on their way into the editor. */
export interface Typing {
	/** When the last key came, in milliseconds of `performance.now()`. */
	readonly lastKeyAt: number;
	/** Types on. */
	pass(key: string): void;
}

/** So long nothing must have been typed before a key counts as an answer: a sentence that was begun is no consent. */
const quietMs = 250;

/** The value whose key was pressed; undefined for Enter, Escape and an aborted signal. */
export async function askKey<T>(screen: Screen, question: KeyQuestion<T>): Promise<T | undefined> {
	const { pi, theme } = screen;
	const { title, choices, signal, typing } = question;
	if (signal.aborted) return undefined;
	const { promise, resolve } = Promise.withResolvers<T | undefined>();
	using quiet = awaitQuiet(typing, () => part.changed());
	const component: Component = {
		render(width) {
			const keys = quiet.isOver ? choices.map(({ label }) => label).join(" / ") : "…";
			return wrapped(pi, ["", `${theme.warning("?")} ${theme.bold(title)}`, `  ${keys}`], { indent: "  ", width });
		},
		handleInput(key) {
			if (!quiet.isOver) {
				typing.pass(key);
				return;
			}
			if (pi.matchesKey(key, "enter") || pi.matchesKey(key, "escape")) resolve(undefined);
			const chosen = choices.find((choice) => key.toLowerCase() === choice.key || isKey(screen, key, choice.key));
			if (chosen !== undefined) resolve(chosen.value);
		},
		invalidate() {},
	};
	using part = screen.focus(component);
	const onAbort = () => resolve(undefined);
	signal.addEventListener("abort", onAbort, { once: true });
	try {
		return await promise;
	} finally {
		signal.removeEventListener("abort", onAbort);
	}
}

/** Terminals with the Kitty protocol send letters as sequences too. */
function isKey({ pi }: Screen, data: string, key: string): boolean {
	return pi.decodeKittyPrintable(data)?.toLowerCase() === key;
}

/** Becomes over when nothing has been typed for a moment. */
export function awaitQuiet(typing: Typing, onOver: () => void): Disposable & { readonly isOver: boolean } {
	const began = performance.now();
	let isOver = false;
	let timer: Timer | undefined;
	const look = () => {
		const left = quietMs - (performance.now() - Math.max(began, typing.lastKeyAt));
		isOver = left <= 0;
		if (isOver) onOver();
		else timer = setTimeout(look, Math.ceil(left));
	};
	timer = setTimeout(look, quietMs);
	return {
		get isOver() {
			return isOver;
		},
		[Symbol.dispose]: () => clearTimeout(timer),
	};
}
