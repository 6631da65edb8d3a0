/** What the user has typed in earlier chats, without the secrets in it. */

import { appendFileSync, chmodSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { writeFileAtomically } from "../../base/atomic-write.ts";
import type { Redactor } from "../../security/redact.ts";
import { withoutMarkers } from "../conversation/image-marker.ts";

/** The history of one home. */
export interface InputHistory {
	/** Oldest first. */
	readonly entries: readonly string[];
	/** Keeps `text`; a text that begins with a space is not kept, as in a shell. */
	add(text: string): void;
}

/** Entries that are read; a file of twice as many is cut. */
const mostEntries = 500;
/** Longer texts were pasted, and are found in their session. */
const longestEntry = 10_000;
const entryLine = z.object({ text: z.string() });

/** The history in `hermesHome`; a file that cannot be read or written is as good as none: no chat fails for it. */
export function openInputHistory(hermesHome: string, redact: Redactor): InputHistory {
	const path = join(hermesHome, "chat_history.jsonl");
	const entries = readEntries(path);
	let last = entries.at(-1);
	return {
		entries,
		add(text) {
			const clean = redact(text);
			if (text.trim() === "" || text.startsWith(" ") || clean === last || clean.length > longestEntry) return;
			last = clean;
			keep(path, `${JSON.stringify({ text: clean })}\n`);
		},
	};
}

function readEntries(path: string): readonly string[] {
	const lines = textOf(path)
		.split("\n")
		.filter((line) => line !== "");
	const entries = lines.flatMap((line) => entryOf(line)).slice(-mostEntries);
	if (lines.length > 2 * mostEntries) {
		const text = entries.map((text) => `${JSON.stringify({ text })}\n`).join("");
		withoutFailing(() => writeFileAtomically(path, text));
	}
	return entries;
}

function entryOf(line: string): readonly string[] {
	try {
		const parsed = entryLine.safeParse(JSON.parse(line));
		return parsed.success ? [withoutMarkers(parsed.data.text)] : [];
	} catch {
		// Half a line, of a machine that went down.
		return [];
	}
}

function textOf(path: string): string {
	return withoutFailing(() => (statSync(path, { throwIfNoEntry: false }) ? readFileSync(path, "utf8") : "")) ?? "";
}

function keep(path: string, line: string): void {
	withoutFailing(() => {
		mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
		appendFileSync(path, line, { mode: 0o600 });
		chmodSync(path, 0o600);
	});
}

function withoutFailing<T>(work: () => T): T | undefined {
	try {
		return work();
	} catch (cause) {
		if (cause instanceof Error && "code" in cause) return undefined;
		throw cause;
	}
}
