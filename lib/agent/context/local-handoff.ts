/** A summary that needs no model, for when none can be had: what was asked, done and left, out of the messages themselves. */

import type { Message, ToolCall } from "../../base/conversation.ts";
import { shortened } from "./shorten.ts";
import type { Mask } from "./transcript.ts";

const longest = 8_000;
const mostAsks = 5;
const mostCalls = 30;
const mostFiles = 12;
const mostFailures = 5;
const lastTurns = 8;
const longestTurn = 700;

/** The same messages give the same text. `previous` is the summary that stood before them. */
export function localHandoff(messages: readonly Message[], previous: string | undefined, mask: Mask): string {
	const calls = messages.flatMap((message) => (message.role === "assistant" ? message.toolCalls : []));
	const asks = messages.flatMap((message) =>
		message.role === "user" && message.origin === undefined ? [message.content] : [],
	);
	const parts = [
		"No model could sum this up; the program has put it together from the messages.",
		section("Asked by the user, newest last", asks.slice(-mostAsks)),
		section("Calls, newest last", calls.slice(-mostCalls).map(callLine)),
		section("Files", [...new Set(calls.flatMap(filesOf))].slice(-mostFiles)),
		section("Failures", messages.flatMap(failureOf).slice(-mostFailures)),
		section("The last messages that were taken out", messages.slice(-lastTurns).flatMap(saidIn)),
		previous === undefined ? "" : `## Before that\n${previous}`,
	];
	const text = mask(parts.filter((part) => part !== "").join("\n\n"));
	return text.length > longest ? shortened(text, longest - 100) : text;
}

function section(heading: string, lines: readonly string[]): string {
	if (lines.length === 0) return "";
	return `## ${heading}\n${lines.map((line) => `- ${shortened(line, longestTurn)}`).join("\n")}`;
}

function callLine({ name, arguments: text }: ToolCall): string {
	return `${name} ${shortened(text, 120)}`;
}

function filesOf({ arguments: text }: ToolCall): readonly string[] {
	return [...text.matchAll(/"(?:path|file_path|workdir)"\s*:\s*"([^"\\]{1,300})"/g)].map(([, path = ""]) => path);
}

function failureOf(message: Message): readonly string[] {
	if (message.role !== "tool") return [];
	const [, error] = /"error"\s*:\s*"((?:[^"\\]|\\.){1,300})/.exec(message.content) ?? [];
	return error === undefined ? [] : [`${message.toolName}: ${error}`];
}

function saidIn(message: Message): readonly string[] {
	const text = message.content.trim();
	return text === "" ? [] : [`${message.role === "tool" ? message.toolName : message.role}: ${text}`];
}
