/** A question that is answered with a line, or by picking one of several answers. */

import type { Component, Focusable } from "@earendil-works/pi-tui";
import { unlessAborted } from "../../base/abort.ts";
import { wrapped } from "./blocks.ts";
import { awaitQuiet, type Typing } from "./key-question.ts";
import type { Screen } from "./screen.ts";

/** What is asked. Texts are safe for a terminal. */
export interface LineQuestion {
	/** Lines above the answer. */
	readonly title: readonly string[];
	/** Answers to pick from; a digit picks one while nothing is typed. */
	readonly choices: readonly string[];
	/** Nothing of the answer is shown. */
	readonly isSecret: boolean;
	/** Resolves the question with no answer. */
	readonly signal: AbortSignal;
	readonly typing: Typing;
}

/** The line, or the choice; undefined for Escape and an aborted signal. */
export async function askLine(screen: Screen, question: LineQuestion): Promise<string | undefined> {
	const { signal, typing } = question;
	if (signal.aborted) return undefined;
	const { promise, resolve } = Promise.withResolvers<string | undefined>();
	using quiet = awaitQuiet(typing, () => part.changed());
	const component = lineForm(screen, question, { resolve, isReady: () => quiet.isOver });
	using part = screen.focus(component);
	return await unlessAborted(promise, signal);
}

interface LineForm {
	resolve(answer: string | undefined): void;
	isReady(): boolean;
}

function lineForm(screen: Screen, question: LineQuestion, { resolve, isReady }: LineForm): Component & Focusable {
	const { pi, theme } = screen;
	const { title, choices, isSecret, typing } = question;
	const input = new pi.Input();
	let picked = 0;
	const choose = (at: number) => resolve(choices[at]);
	input.onSubmit = (text) => (text === "" && choices.length > 0 ? choose(picked) : resolve(text));
	input.onEscape = () => resolve(undefined);
	const choiceLines = () =>
		choices.map((choice, at) => {
			const line = `${at === picked ? "›" : " "} ${at + 1}) ${choice}`;
			return at === picked ? theme.accent(line) : line;
		});
	const hint = choices.length === 0 ? "Enter answers" : "a digit or Enter picks, or type another answer";
	return {
		focused: true,
		render(width) {
			const above = ["", ...title.map((line, at) => (at === 0 ? `${theme.warning("?")} ${theme.bold(line)}` : line))];
			const head = wrapped(pi, [...above, ...choiceLines()], { indent: "  ", width });
			if (!isReady()) return [...head, "…"];
			const typed = isSecret ? [theme.dim("(not shown) > ")] : input.render(width);
			return [
				...head,
				...typed.map((line) => pi.truncateToWidth(line, width, "")),
				...wrapped(pi, [theme.dim(hint)], { indent: "", width }),
			];
		},
		handleInput(key) {
			if (!isReady()) return typing.pass(key);
			const isEmpty = input.getValue() === "";
			const digit = Number(pi.decodeKittyPrintable(key) ?? key);
			if (isEmpty && choices.length > 0 && choices.length <= 9 && digit >= 1 && digit <= choices.length)
				return choose(digit - 1);
			if (choices.length > 0 && pi.matchesKey(key, "up")) picked = (picked + choices.length - 1) % choices.length;
			else if (choices.length > 0 && pi.matchesKey(key, "down")) picked = (picked + 1) % choices.length;
			else input.handleInput(key);
		},
		invalidate() {},
	};
}
