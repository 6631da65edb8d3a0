/** A call of a tool on the screen: what is asked, the end of what it says while it runs, and what came of it. */

import type { Component } from "@earendil-works/pi-tui";
import type { AgentEvent } from "../../agent/events.ts";
import { printable } from "../runtime/paint.ts";
import { shortArgument, shortOutcome } from "../runtime/short-call.ts";
import { liveBlock } from "./blocks.ts";
import { diffLine } from "./highlight.ts";
import type { PiTui } from "./pi-tui.ts";
import type { Theme } from "./theme.ts";

type Event<T extends AgentEvent["type"]> = Extract<AgentEvent, { type: T }>;

/** One call. */
export interface ShownCall {
	/** As it looks while it runs. */
	readonly part: Component;
	/** Takes what the call says. */
	say(text: string): void;
	/** The lines that stay when it has ended. */
	finished(event: Event<"tool_finished">): readonly string[];
}

/** Where and how calls are shown. */
export interface CallLooks {
	readonly pi: PiTui;
	readonly theme: Theme;
	/** Where commands run. */
	readonly ranOn: string;
	/** Lines of output, and of a diff, that stay when a call has ended; usual ones when left out. */
	readonly kept?: { readonly output: number; readonly diff: number };
	/** Milliseconds since some moment, for the time a call takes. */
	now(): number;
}

/** Lines of output that are shown while a call runs. */
const liveLines = 6;
const usuallyKept = { output: 10, diff: 60 };
/** Of an endless line only the end is kept. */
const longestLine = 2_000;

/** Begins to show the call. */
export function showCall({ name, arguments: json }: Event<"tool_started">, looks: CallLooks): ShownCall {
	const { pi, theme, ranOn, now, kept = usuallyKept } = looks;
	const began = now();
	const output = createTail(Math.max(liveLines, kept.output));
	const head = `${theme.accent("▸")} ${theme.bold(printable(name))} ${printable(shortArgument(json))}`;
	const bar = theme.dim(theme.symbols.bar);
	const outputLines = (most: number) => {
		const { lines, hidden } = output.last(most);
		const more = hidden > 0 ? [`  ${bar} ${theme.dim(`… ${hidden} lines before`)}`] : [];
		return [...more, ...lines.map((line) => `  ${bar} ${theme.dim(line)}`)];
	};
	const part = liveBlock(pi, () => {
		const seconds = Math.floor((now() - began) / 1000);
		const facts = [...(seconds > 0 ? [`${seconds} s`] : []), ranOn].filter((fact) => fact !== "");
		return [head, ...outputLines(liveLines), `  ${theme.dim(["…", ...facts].join(" · "))}`];
	});
	return {
		part,
		say: output.add,
		finished({ result, is_error, denied, duration_ms }) {
			const outcome = shortOutcome(result);
			const failed = is_error || denied || outcome.failed;
			const mark = failed ? theme.bad("✗") : theme.good("✓");
			const diff = outcome.detail.slice(0, kept.diff).map((line) => `  ${bar} ${diffLine(printable(line), theme)}`);
			// What the model is told about a denied call is for the model.
			const came = denied ? ["not allowed"] : outcome.facts;
			const facts = [...came, `${(duration_ms / 1000).toFixed(2)} s`, ranOn].filter((fact) => fact !== "");
			const end = `  ${mark} ${theme.dim(printable(facts.join(" · ")))}`;
			return [head, ...outputLines(kept.output), ...diff, end];
		},
	};
}

/** The last lines of something that goes on and on. */
function createTail(most: number) {
	let lines: string[] = [];
	let rest = "";
	let count = 0;
	/** Of a progress bar only what it last drew. */
	const drawn = (line: string) => printable(line.replace(/\r$/, "").split("\r").at(-1) ?? "").replaceAll("\t", "    ");
	return {
		add(text: string) {
			const parts = (rest + text).split("\n");
			rest = (parts.pop() ?? "").slice(-longestLine);
			count += parts.length;
			lines = [...lines, ...parts.slice(-most).map(drawn)].slice(-most);
		},
		last(wanted: number) {
			const all = rest === "" ? lines : [...lines, drawn(rest)];
			const shown = all.slice(-wanted);
			return { lines: shown, hidden: count + (rest === "" ? 0 : 1) - shown.length };
		},
	};
}
