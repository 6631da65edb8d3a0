/** Shows an agent's events to a person: the model's text, and one line a tool call with what came of it. */

import type { AgentEvent } from "../../agent/events.ts";
import type { ProgressChoice } from "../../commands/command.ts";
import type { Output } from "../output.ts";
import { createLiveOutput, type LiveOutput } from "./live-output.ts";
import { type Paint, printable } from "./paint.ts";
import { shortArgument, shortOutcome } from "./short-call.ts";

/** Where things are printed; both may be the same stream. */
export interface TextStreams {
	/** What the model says. */
	readonly text: Output;
	/** What tools do, and warnings. */
	readonly progress: Output;
	/** Colours for `progress`. */
	readonly paint: Paint;
	/** How much of calls is shown; `all` when left out. */
	readonly choice?: Readonly<ProgressChoice>;
}

type Event<T extends AgentEvent["type"]> = Extract<AgentEvent, { type: T }>;

/** A function that prints each event as it happens. */
export function createTextPrinter(streams: TextStreams): (event: AgentEvent) => void {
	const says = createSpeechPrinter(streams.text);
	const calls = createCallPrinter(streams);
	return (event) => {
		switch (event.type) {
			case "session_started":
				return calls.place(event.ran_on);
			case "text_delta":
				return says.delta(event.text);
			case "assistant_message":
				return says.whole(event);
			case "tool_started":
				return calls.start(event);
			case "tool_output":
				return calls.output(event);
			case "tool_finished":
				return calls.finish(event);
			case "warning":
				return streams.progress.write(`hermes: ${printable(event.message)}\n`);
			case "turn_finished":
				// A turn that was cut short leaves half a line.
				says.endLine();
				return streams.progress.write(endingLine(event));
			default: {
				const line = loopLine(event);
				if (line === undefined) return;
				says.endLine();
				return streams.progress.write(`hermes: ${printable(line)}\n`);
			}
		}
	};
}

/** Shorter waits are over before a person has read of them. */
const waitWorthTellingMs = 3_000;

/** What a person is told of the loop's own doings; undefined for what would only disturb. */
export function loopLine(event: AgentEvent): string | undefined {
	switch (event.type) {
		case "retry":
			if (event.wait_ms < waitWorthTellingMs) return undefined;
			return `${event.message}; trying again in ${Math.round(event.wait_ms / 1000)} s`;
		case "fallback":
			return `${event.from_model} cannot answer (${event.message}); ${event.model} of ${event.provider} is asked instead`;
		case "steer":
			return "the model has been told what you said";
		case "subagent":
			return subagentLine(event);
		case "status":
			return event.message;
		case "compressed":
			return `the conversation was shortened from ${event.messages_before} to ${event.messages_after} messages`;
		default:
			return undefined;
	}
}

/** The beginning and the end of a child of this conversation's own; what children of children do would only disturb. */
function subagentLine({ event, depth, status, goal, ...facts }: Event<"subagent">): string | undefined {
	if ((event !== "started" && event !== "finished") || depth > 1) return undefined;
	const { task_index, task_count, duration_ms, model_calls, tool_calls } = facts;
	const shown = goal.length > 40 ? `${goal.slice(0, 39)}…` : goal;
	if (event === "started") return `▹ [${task_index + 1}/${task_count}] ${shown}`;
	const mark = status === "completed" ? "✓" : `✗ ${status}`;
	const effort = `${(duration_ms / 1000).toFixed(1)} s, model calls: ${model_calls}, tool calls: ${tool_calls}`;
	return `${mark} [${task_index + 1}/${task_count}] ${shown} (${effort})`;
}

/** Prints streamed text, and whole messages only when nothing of them was streamed. */
function createSpeechPrinter(output: Output) {
	const clean = output.isTerminal ? printable : (text: string) => text;
	let line = "";
	let isStreamed = false;
	const endLine = () => {
		if (line !== "" && !line.endsWith("\n")) output.write("\n");
		line = "";
	};
	const delta = (text: string) => {
		if (text === "") return;
		line = text;
		isStreamed = true;
		output.write(clean(text));
	};
	return {
		endLine,
		delta,
		whole({ text, continues }: Event<"assistant_message">) {
			if (!isStreamed) delta(text);
			isStreamed = false;
			if (continues !== true) endLine();
		},
	};
}

function createCallPrinter({ progress, paint, choice }: TextStreams) {
	const running = new Map<string, LiveOutput>();
	let ranOn = "";
	return {
		place(name: string) {
			ranOn = name;
		},
		start({ id, name, arguments: json }: Event<"tool_started">) {
			running.set(id, createLiveOutput(progress, paint));
			progress.write(
				`${paint("bold", `▸ ${printable(name)}`)} ${printable(choice?.mode === "verbose" ? json : shortArgument(json))}\n`,
			);
		},
		output({ id, text }: Event<"tool_output">) {
			running.get(id)?.add(text);
		},
		finish({ id, name, result, is_error, denied, duration_ms }: Event<"tool_finished">) {
			running.get(id)?.end();
			running.delete(id);
			const outcome = shortOutcome(result);
			const failed = is_error || denied || outcome.failed;
			for (const line of outcome.detail) progress.write(`  ${paint("dim", `│ ${printable(line)}`)}\n`);
			const mark = failed ? paint("bad", "✗") : paint("good", "✓");
			const facts = [name, ...outcome.facts, `${(duration_ms / 1000).toFixed(2)} s`, ranOn];
			progress.write(`  ${mark} ${paint("dim", printable(facts.join(" · ")))}\n`);
		},
	};
}

/** One line that says why a turn ended without an answer; empty when it has one. */
export function endingLine({ ended, error }: Event<"turn_finished">): string {
	if (ended === "failed") return `hermes: ${printable(error ?? "the turn failed")}\n`;
	if (ended === "interrupted") return "hermes: interrupted\n";
	if (ended === "max_turns") return "hermes: stopped at the limit of model calls; allow more with --max-turns N\n";
	return "";
}
