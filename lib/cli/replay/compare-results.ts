/** Whether two results of one call say the same, and where not. */

import { steeringIn } from "../../agent/steer.ts";
import { attempt } from "../../base/attempt.ts";

/** One field that is not the same; undefined where there is none. */
export interface Difference {
	/** Empty where a result is no object. */
	readonly field: string;
	readonly recorded: unknown;
	readonly now: unknown;
}

/** What is another one every time and says nothing. */
const passing =
	/^(?:ran_on|pid|session_id|process_id|note_on_repetition|.*duration.*|.*elapsed.*|.*_ms|.*_seconds|uptime.*|.*timestamp)$/;

/** None when they say the same. */
export function differences(recorded: string, now: string): readonly Difference[] {
	const [before, after] = [fieldsOf(recorded), fieldsOf(now)];
	const names = [...new Set([...before.keys(), ...after.keys()])].filter((name) => !passing.test(name));
	return names
		.map((field) => ({ field, recorded: before.get(field), now: after.get(field) }))
		.filter((difference) => JSON.stringify(difference.recorded) !== JSON.stringify(difference.now));
}

function fieldsOf(content: string): ReadonlyMap<string, unknown> {
	// What the user said meanwhile is no part of what the tool said.
	const steering = steeringIn(content);
	const answer = steering === undefined ? content : content.slice(0, -steering.length).trimEnd();
	const parsed = attempt((): unknown => JSON.parse(answer));
	if (!parsed.ok) return new Map([["", answer]]);
	const { value } = parsed;
	return typeof value === "object" && value !== null ? new Map(Object.entries(value)) : new Map([["", value]]);
}

const longest = 160;

/** Two lines for a person: the first line that is not the same, as it was and as it is. */
export function shownDifference({ field, recorded, now }: Difference): readonly string[] {
	const [before, after] = [textOf(recorded).split("\n"), textOf(now).split("\n")];
	const at = before.findIndex((line, index) => line !== after[index]);
	const line = at < 0 ? before.length : at;
	const place = before.length > 1 || after.length > 1 ? ` line ${line + 1}` : "";
	const name = `${field || "result"}${place}`;
	return [`- ${name}: ${short(before[line])}`, `+ ${name}: ${short(after[line])}`];
}

function textOf(value: unknown): string {
	if (value === undefined) return "(nothing)";
	return typeof value === "string" ? value : JSON.stringify(value);
}

function short(line: string | undefined): string {
	if (line === undefined) return "(nothing)";
	return line.length > longest ? `${line.slice(0, longest).toWellFormed()}…` : line;
}
