/** A question that is answered by one key. */

import type { Component } from "@earendil-works/pi-tui";
import { unlessAborted } from "../../base/abort.ts";
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
	/** How many there were. */
	readonly keys: number;
	/** Types on. */
	pass(key: string): void;
}

/**
 * So many times in a row nothing must have come before a key counts as an answer: a sentence that was begun is no consent.
 * Looks are counted and not time alone, as keys wait unseen while the machine is busy.
 */
const quietLooks = 5;
const lookMs = 50;

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
	return await unlessAborted(promise, signal);
}

/** Terminals with the Kitty protocol send letters as sequences too. */
function isKey({ pi }: Screen, data: string, key: string): boolean {
	return pi.decodeKittyPrintable(data)?.toLowerCase() === key;
}

/** Becomes over when nothing has been typed for a moment. */
export function awaitQuiet(typing: Typing, onOver: () => void): Disposable & { readonly isOver: boolean } {
	let seen = typing.keys;
	let left = quietLooks;
	const timer = setInterval(() => {
		left = typing.keys === seen ? left - 1 : quietLooks;
		seen = typing.keys;
		if (left > 0) return;
		clearInterval(timer);
		onOver();
	}, lookMs);
	return {
		get isOver() {
			return left <= 0;
		},
		[Symbol.dispose]: () => clearInterval(timer),
	};
}
