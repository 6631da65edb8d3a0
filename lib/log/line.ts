/** One entry of a log as text: how it is written, and how its head is read back. */

/** From the least to the most urgent. */
export const levels = ["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"] as const;

/** How urgent an entry is. */
export type Level = (typeof levels)[number];

/** An entry before it becomes text. */
export interface Entry {
	readonly time: Date;
	readonly level: Level;
	readonly sessionId: string | undefined;
	/** The part of the program that speaks. */
	readonly name: string;
	readonly message: string;
}

/** What the first line of an entry says. */
export interface Head {
	/** Milliseconds since 1970. */
	readonly time: number;
	readonly level: Level;
	readonly sessionId: string | undefined;
}

/** A level by its name in any case; `warn` and `fatal` are understood. */
export function levelOf(name: string): Level | undefined {
	const upper = name.toUpperCase();
	const synonyms: Readonly<Record<string, Level>> = { WARN: "WARNING", FATAL: "CRITICAL" };
	return synonyms[upper] ?? levels.find((level) => level === upper);
}

/** Whether `level` is at least as urgent as `least`. */
export function isAtLeast(level: Level, least: Level): boolean {
	return levels.indexOf(level) >= levels.indexOf(least);
}

/**
 * `2026-07-01 09:30:00,123+02:00 WARNING [session] agent: message`, with a line end. Further lines of the message are
 * set in by four spaces: no message can forge the head of another entry. Control characters are written as `\x1b`.
 */
export function formatEntry({ time, level, sessionId, name, message }: Entry): string {
	const [first = "", ...further] = message.split(/\r\n|\n|\r/).map(visible);
	const session = sessionId === undefined ? "" : ` [${visible(sessionId)}]`;
	const body = further.map((line) => `    ${line}\n`).join("");
	return `${timestamp(time)} ${level}${session} ${visible(name)}: ${first}\n${body}`;
}

const headPattern =
	/^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)[,.](\d{3})([+-]\d\d:\d\d|Z)? (DEBUG|INFO|WARNING|ERROR|CRITICAL)(?: \[([^\]\s]*)\])? /;

/** The head of an entry, or undefined for a line that continues one. Lines of the original have no offset: local time. */
export function parseHead(line: string): Head | undefined {
	const [, day, clock, milliseconds, offset = "", level = "", sessionId] = headPattern.exec(line) ?? [];
	const known = levelOf(level);
	if (known === undefined) return undefined;
	const time = Date.parse(`${day}T${clock}.${milliseconds}${offset}`);
	return { time, level: known, sessionId };
}

function timestamp(time: Date): string {
	const offset = -time.getTimezoneOffset();
	const local = new Date(time.getTime() + offset * 60_000).toISOString();
	const size = Math.abs(offset);
	const zone = `${offset < 0 ? "-" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
	return `${local.slice(0, 10)} ${local.slice(11, 19)},${local.slice(20, 23)}${zone}`;
}

function two(number: number): string {
	return String(number).padStart(2, "0");
}

function visible(text: string): string {
	// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal must not obey what a log says
	return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029]/g, (character) => {
		const code = character.charCodeAt(0);
		return code < 256 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16)}`;
	});
}
