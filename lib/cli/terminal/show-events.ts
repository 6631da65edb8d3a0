/** Shows an agent's events on the screen of a chat. */

import type { AgentEvent } from "../../agent/events.ts";
import type { ProgressChoice } from "../../commands/command.ts";
import { printable } from "../runtime/paint.ts";
import { endingLine, loopLine } from "../runtime/print-text.ts";
import type { Screen } from "./screen.ts";
import { createCallView } from "./show-calls.ts";
import { createSpeechView } from "./show-speech.ts";
import { createSubagentView } from "./show-subagents.ts";
import { createWorkView } from "./show-work.ts";
import type { CallLooks } from "./tool-call.ts";

/** What the user wants to see. */
export interface ShownOptions {
	readonly showsReasoning: boolean;
	/** How much of each call of a tool; which calls are shown is decided before. */
	readonly progress: Readonly<ProgressChoice>;
	readonly showsDiffs: boolean;
	/** Rings when a turn ends. */
	readonly rings: boolean;
	/** Milliseconds since some moment. */
	now(): number;
}

/** What an agent does, on a screen. */
export interface EventView {
	/** A turn begins; events of it follow. */
	begin(): void;
	show(event: AgentEvent): void;
}

/** A view that shows each event as it happens. */
export function createEventView(screen: Screen, options: ShownOptions): EventView {
	const { now, rings } = options;
	const work = createWorkView(screen, now);
	const speech = createSpeechView(screen, work, options);
	const calls = createCallView(screen, work, { now, kept: () => keptLines(options) });
	const subagents = createSubagentView(screen);
	const note = (text: string) => {
		speech.end();
		screen.addLines(
			printable(text)
				.split("\n")
				.map((line) => screen.theme.warning(line)),
		);
	};
	const show = (event: AgentEvent) => {
		switch (event.type) {
			case "session_started":
				return calls.place(event.ran_on);
			case "text_delta":
				return speech.delta(event.text);
			case "reasoning_delta":
				return speech.reason(event.text);
			case "assistant_message":
				return speech.whole(event);
			case "tool_started":
				speech.end();
				return calls.start(event);
			case "tool_output":
				return calls.output(event);
			case "tool_finished":
				return calls.finish(event);
			case "turn_finished":
				speech.end();
				calls.end();
				if (rings) screen.tui.terminal.write(bell);
				return work.end();
			case "subagent":
				return subagents(event);
			case "warning":
				return note(event.message);
			default: {
				const line = loopLine(event);
				return line === undefined ? undefined : note(line);
			}
		}
	};
	return {
		begin: work.begin,
		show(event) {
			show(event);
			const ending =
				event.type === "turn_finished"
					? endingLine(event)
							.replace(/^hermes: /, "")
							.trimEnd()
					: "";
			if (ending !== "") note(ending);
		},
	};
}

const bell = "\u0007";

function keptLines({ progress, showsDiffs }: ShownOptions): NonNullable<CallLooks["kept"]> {
	const isVerbose = progress.mode === "verbose";
	const diff = isVerbose ? 400 : 60;
	return { output: isVerbose ? 100 : 10, diff: showsDiffs ? diff : 0 };
}
