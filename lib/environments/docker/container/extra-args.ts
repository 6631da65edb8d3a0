/** Reads `terminal.docker_extra_args`, which are words of a `docker run` command line. */

import { nearestName } from "../../../base/nearest-name.ts";
import { BackendUnavailable } from "../../backend.ts";
import type { Part } from "./request-parts.ts";
import { otherNames, switches, valueFlags } from "./run-flags.ts";

/** A flag as it was written, and its value; switches have none unless one was written. */
interface Flag {
	readonly written: string;
	readonly name: string;
	readonly value: string | undefined;
}

/** What the words say. @throws {BackendUnavailable} When a flag is unknown or its value cannot be used. */
export function partsOfWords(words: readonly string[]): Part[] {
	return readFlags(words).map((flag) => partOf(flag, "terminal.docker_extra_args"));
}

/** What one flag says that another setting, `source`, stands for. @throws {BackendUnavailable} */
export function partOfSetting(name: string, value: string, source: string): Part {
	return partOf({ written: value, name, value }, source);
}

function partOf({ written, name, value }: Flag, source: string): Part {
	const turn = switches[name];
	const read = valueFlags[name];
	if (turn === undefined && read === undefined) throw unknownFlag(written, source);
	try {
		if (turn !== undefined) return turn(value !== "false");
		if (value === undefined || read === undefined) throw new Error("it needs a value");
		return read(value);
	} catch (cause) {
		const why = cause instanceof Error ? cause.message : String(cause);
		throw new BackendUnavailable(`Cannot use "${written}" of ${source}: ${why}`, { cause });
	}
}

function unknownFlag(written: string, source: string): BackendUnavailable {
	const near = nearestName(written, [...Object.keys(switches), ...Object.keys(valueFlags)]);
	const advice = near === undefined ? "" : `; did you mean ${near}?`;
	return new BackendUnavailable(`Cannot use "${written}" of ${source}: hermes does not know this flag${advice}`);
}

function readFlags(words: readonly string[]): Flag[] {
	const flags: Flag[] = [];
	// `--device /dev/kvm` in one word is how such lists are often written.
	const queue = words.flatMap((word) => word.trim().split(/(?<=^--?[\w-]+)\s+/));
	for (let at = 0; at < queue.length; at++) {
		const word = queue[at] ?? "";
		const [, written = word, assigned] = /^(--?[A-Za-z][\w-]*)(?:=(.*))?$/s.exec(word) ?? [];
		const name = otherNames[written] ?? written;
		const takesNext = assigned === undefined && name in valueFlags;
		if (takesNext) at++;
		flags.push({ written, name, value: takesNext ? queue[at] : assigned });
	}
	return flags;
}
