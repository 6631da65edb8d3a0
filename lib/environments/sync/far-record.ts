/** The record that a sandbox keeps of what we sent: it saves the next run from sending it again, and is believed in nothing else. */

import type { SentFile } from "./local-files.ts";

/** What stands in the record of one file. */
export type RecordedFile = Omit<SentFile, "isThere">;

/** A file as the sandbox lists it. */
export interface FarFile {
	readonly size: number;
	readonly modifiedSeconds: number;
}

/** A line for a file that is there. */
export function recordLine({ size, modifiedMs, mode, isFresh, hash = "", to }: RecordedFile): string {
	return `+ ${size} ${modifiedMs} ${mode.toString(8)} ${isFresh ? "fresh" : "old"} ${hash || "-"} ${to}\n`;
}

/** A line for one that is not there any more. */
export function goneLine(to: string): string {
	return `- ${to}\n`;
}

const linePattern = /^\+ (\d+) ([\d.]+) ([0-7]+) (fresh|old) (-|[0-9a-f]{64}) (.+)$/;

/** What a record says, later lines above earlier ones, and how many lines it has. What is no sound line is left out. */
export function readRecord(text: string): { readonly files: Map<string, RecordedFile>; readonly lines: number } {
	const files = new Map<string, RecordedFile>();
	const lines = text.split("\n");
	for (const line of lines) {
		if (line.startsWith("- ")) files.delete(line.slice(2));
		const [, size, modifiedMs, mode = "", freshness, hash = "-", to = ""] = linePattern.exec(line) ?? [];
		if (size === undefined || !isPlainPath(to)) continue;
		const base = { size: Number(size), modifiedMs: Number(modifiedMs), mode: Number.parseInt(mode, 8) };
		files.set(to, { ...base, isFresh: freshness === "fresh", to, ...(hash !== "-" && { hash }) });
	}
	return { files, lines: lines.length };
}

/** What the sandbox lists: `size seconds name` a line. */
export function readList(text: string): Map<string, FarFile> {
	const files = new Map<string, FarFile>();
	for (const line of text.split("\n")) {
		const [, size, seconds, name = ""] = /^(\d+) (\d+) (.+)$/.exec(line) ?? [];
		if (isPlainPath(name)) files.set(name, { size: Number(size), modifiedSeconds: Number(seconds) });
	}
	return files;
}

/** Relative, without detours, and nothing in it that a terminal or a file system would read otherwise. */
export function isPlainPath(path: string): boolean {
	// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be in it.
	if (path === "" || /[\u0000-\u001f\u007f\\]/.test(path)) return false;
	return path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}
