/** Takes paragraphs that look like an attack out of a text that is read into a prompt. */

import { createHash } from "node:crypto";
import { findThreats } from "../../security/threats/find-threats.ts";

/** A paragraph that was taken out. */
export interface BlockedPart {
	readonly file: string;
	/** Where it begins, from 1. */
	readonly line: number;
	/** What was found, in words for a person. */
	readonly what: string;
	/** Allows it when the settings name it. */
	readonly hash: string;
}

/** What is left of a text. */
export interface ScreenedText {
	readonly text: string;
	readonly blocked: readonly BlockedPart[];
}

/** Paragraphs whose hash is in `allowed` stay. Two of them that are an attack only together both go. */
export function screenContext(file: string, text: string, allowed: ReadonlySet<string>): ScreenedText {
	const parts = partsOf(text).map((part) => ({ ...part, hash: partHash(part.text) }));
	const found = parts.map(({ text, hash }) => (allowed.has(hash) ? undefined : threatIn(text)));
	for (const [index, { text, hash }] of parts.entries()) {
		const next = parts[index + 1];
		if (next === undefined || found[index] !== undefined || found[index + 1] !== undefined) continue;
		if (allowed.has(hash) && allowed.has(next.hash)) continue;
		const together = threatIn(`${text}\n${next.text}`);
		found[index] = together;
		found[index + 1] = together;
	}
	const blocked = parts.flatMap(({ line, hash }, index) => {
		const what = found[index];
		return what === undefined ? [] : [{ file, line, what, hash }];
	});
	const kept = parts.map(({ text, line }, index) => {
		const what = found[index];
		return what === undefined ? text : `[BLOCKED: ${file} line ${line}: ${what}]`;
	});
	return { text: kept.join("\n\n"), blocked };
}

/** The hash by which a paragraph is allowed: that of its words, so that other line breaks do not change it. */
export function partHash(text: string): string {
	return createHash("sha256").update(text.trim().replaceAll(/\s+/g, " ")).digest("hex").slice(0, 16);
}

function threatIn(text: string): string | undefined {
	const [threat] = findThreats(text, "context");
	return threat?.what;
}

function partsOf(text: string): { readonly text: string; readonly line: number }[] {
	const parts: { text: string; line: number }[] = [];
	let lines: string[] = [];
	let start = 1;
	const close = (next: number) => {
		if (lines.length > 0) parts.push({ text: lines.join("\n"), line: start });
		lines = [];
		start = next;
	};
	for (const [index, line] of text.split("\n").entries()) {
		if (line.trim() === "") close(index + 2);
		else lines.push(line);
	}
	close(0);
	return parts;
}
