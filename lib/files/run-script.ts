/** One file operation is one POSIX script with a framed answer, so that nothing else a shell prints can be taken for data. */

import { quoteWords } from "../base/shell-quoting.ts";
import type { FilePlace } from "./place.ts";
import { scriptPrelude } from "./scripts/prelude.ts";

/** A script and what it is given. */
export interface ScriptCall {
	/** POSIX sh; `emit key value` answers, positional parameters are `args`. */
	readonly script: string;
	readonly args: readonly string[];
	readonly stdin?: string | Uint8Array;
	/** Bytes of answer to expect at most. */
	readonly answerBytes?: number;
	readonly timeoutSeconds?: number;
}

/** What a script said. */
export interface ScriptAnswer {
	/** What the script emitted, by key. */
	readonly fields: ReadonlyMap<string, string>;
	/** The time was over; the last field may be incomplete. */
	readonly timedOut: boolean;
}

const defaultAnswerBytes = 256 * 1024;
const defaultTimeoutSeconds = 60;

/**
 * Runs `call.script` in a clean `/bin/sh`: functions, aliases and options of the session do not reach it.
 *
 * @throws {BackendUnavailable} When the sandbox is broken.
 * @throws {Error} When the script gave no answer.
 */
export async function runScript(place: FilePlace, call: ScriptCall): Promise<ScriptAnswer> {
	const mark = `hermes-${crypto.randomUUID()}`;
	const command = quoteWords(["/bin/sh", "-c", scriptPrelude + call.script, "hermes", mark, ...call.args]);
	const outcome = await place.execute(command, {
		timeoutSeconds: call.timeoutSeconds ?? defaultTimeoutSeconds,
		stdin: call.stdin ?? "",
		limits: { keepBytes: call.answerBytes ?? defaultAnswerBytes },
		// Frames are not for the eyes of the user.
		onOutput: () => {},
	});
	const timedOut = outcome.ended === "timed_out";
	const pieces = outcome.output.split(mark);
	const isWhole = pieces.at(-2) === "end=";
	if (outcome.ended === "interrupted") throw new Error("the operation was interrupted");
	if (!isWhole && !timedOut) {
		const said = (pieces[0] ?? "").trim().slice(0, 500);
		throw new Error(`the shell gave no whole answer (exit code ${outcome.exitCode}): ${said}`);
	}
	return { fields: new Map(pieces.filter((_, index) => index % 2 === 1).map(splitField)), timedOut };
}

function splitField(field: string): [string, string] {
	const at = field.indexOf("=");
	return [field.slice(0, at), field.slice(at + 1)];
}

/** The number in `fields` under `key`; `wc` of some systems pads it with blanks. */
export function numberField(fields: ReadonlyMap<string, string>, key: string): number {
	return Number.parseInt((fields.get(key) ?? "").trim(), 10) || 0;
}

/** The bytes that a script emitted as base64. */
export function bytesField(fields: ReadonlyMap<string, string>, key: string): Uint8Array {
	return Buffer.from(fields.get(key) ?? "", "base64");
}

/** What `stamp_of` said, in one form whatever `stat` it was: seconds with nine decimals, size, number of the file. */
export function stampField(fields: ReadonlyMap<string, string>, key = "stamp"): string | undefined {
	const text = fields.get(key);
	const [, date, time, decimals = "", rest] =
		/^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d+))?(?: [+-]\d{4})? (\d+ \d+)$/.exec(text ?? "") ?? [];
	if (rest === undefined) return text;
	return `${Date.parse(`${date}T${time}Z`) / 1_000}.${decimals.padEnd(9, "0")} ${rest}`;
}
