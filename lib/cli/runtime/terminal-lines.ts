/** Lines that a person types at the terminal. */

import { createInterface, type Interface } from "node:readline";
import { untilAborted } from "../../base/abort.ts";
import { attemptAsync } from "../../base/attempt.ts";
import type { UserChoice } from "../../registry/agent-state.ts";
import type { ApprovalAnswer, ApprovalQuestion, ApprovalRequest } from "../../security/approval/request.ts";
import { askSecret } from "./ask-secret.ts";

/** The keyboard of one run. */
export interface TerminalLines extends Disposable {
	/**
	 * Shows `prompt` and gives the next line; undefined at the end of input or when `signal` aborts. `fresh` drops what
	 * was typed before the prompt was shown: type-ahead must not count as consent.
	 */
	ask(prompt: string, options: { readonly signal: AbortSignal; readonly fresh?: boolean }): Promise<string | undefined>;
	/**
	 * Gives `take` what a person types while nobody asks, until it is disposed of. What it does not take waits for the next
	 * question, as everything does that comes from a file.
	 */
	listen(take: (line: string) => boolean): Disposable;
	/** The same for something that must not be shown or remembered; always fresh. */
	askSecret(prompt: string, signal: AbortSignal): Promise<string | undefined>;
	/** Asks in its own way whether a call may run; `askApproval` otherwise. */
	approve?(
		asked: { readonly request: ApprovalRequest; readonly question: ApprovalQuestion },
		signal: AbortSignal,
	): Promise<ApprovalAnswer>;
	/** Asks a question of the model in its own way; `askChoice` otherwise. */
	choose?(choice: UserChoice, limitSeconds: number): Promise<string | undefined>;
}

/** Opens the terminal when the first line is asked for, so that a run that asks nothing never reads standard input. */
export function openTerminalLines(): TerminalLines {
	const waiting: string[] = [];
	let lines: Interface | undefined;
	let ended = false;
	let wake = () => {};
	let asked = 0;
	let listener: ((line: string) => boolean) | undefined;

	const open = () => {
		const opened = createInterface({ input: process.stdin, output: process.stderr });
		opened.on("line", (line) => {
			if (asked === 0 && process.stdin.isTTY && listener?.(line)) return;
			waiting.push(line);
			wake();
		});
		opened.on("close", () => {
			// Put aside for a secret.
			if (lines !== opened) return;
			ended = true;
			wake();
		});
		// The terminal is in raw mode here, so Ctrl-C arrives as a key; the process treats it like any other.
		opened.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
		return opened;
	};

	const askNow: TerminalLines["ask"] = async (prompt, { signal, fresh }) => {
		lines ??= open();
		if (fresh) waiting.length = 0;
		lines.setPrompt(prompt);
		lines.prompt();
		asked++;
		const onAbort = () => wake();
		signal.addEventListener("abort", onAbort);
		while (waiting.length === 0 && !ended && !signal.aborted) {
			await new Promise<void>((resolve) => {
				wake = resolve;
			});
		}
		asked--;
		signal.removeEventListener("abort", onAbort);
		if (!signal.aborted) return waiting.shift();
		// What is said next begins on a line of its own.
		if (process.stderr.isTTY) process.stderr.write("\n");
		return undefined;
	};

	// Two questions at once would take each other's answers.
	let lastQuestion: Promise<unknown> = Promise.resolve();

	return {
		ask(prompt, options) {
			const before = lastQuestion;
			const answer = attemptAsync(() => untilAborted(before, options.signal)).then(({ ok }) =>
				ok ? askNow(prompt, options) : undefined,
			);
			// One that is given up while it waits must not let the next one past the one before.
			lastQuestion = Promise.allSettled([before, answer]);
			return answer;
		},
		listen(take) {
			listener = take;
			return {
				[Symbol.dispose]() {
					listener = undefined;
				},
			};
		},
		async askSecret(prompt, signal) {
			if (ended) return undefined;
			const open = lines;
			lines = undefined;
			open?.close();
			waiting.length = 0;
			return await askSecret(prompt, signal);
		},
		[Symbol.dispose]: () => lines?.close(),
	};
}
