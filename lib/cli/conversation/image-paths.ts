/** Paths of image files in what a user types, pastes or drops. */

import { statSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { attempt } from "../../base/attempt.ts";

/** What relative paths and `~` stand for, on this machine. */
export interface PathPlace {
	readonly folder: string;
	readonly home: string;
}

/** Of what models read. */
const imageName = /\.(?:png|jpe?g|gif|webp)$/i;
/** More than that was not dropped from a window of files. */
const longestDrop = 16_384;

/**
 * The files that `text` consists of, when it is nothing but existing image files: as terminals write what is dropped on them,
 * with quotes, with backslashes before spaces, as `file://` addresses, or a single path with bare spaces.
 */
export function droppedImages(text: string, place: PathPlace): readonly string[] | undefined {
	const trimmed = text.trim();
	if (trimmed === "" || trimmed.length > longestDrop || !/\.(?:png|jpe?g|gif|webp)\b/i.test(trimmed)) return undefined;
	const whole = imageAt(trimmed, place);
	if (whole !== undefined) return [whole];
	// Quotes mean nothing in an address.
	const words = trimmed.startsWith("file://") ? trimmed.split(/\s+/) : wordsIn(trimmed);
	const found = words.map((word) => imageAt(word, place));
	return found.every((path) => path !== undefined) ? found : undefined;
}

/** An image file that a text names. */
export interface Mention {
	/** As it is written there, with the `@`. */
	readonly mention: string;
	/** Where it begins in the text. */
	readonly at: number;
	/** Absolute. */
	readonly path: string;
}

/** Every `@path` of an existing image file in `text`, in order. */
export function mentionedImages(text: string, place: PathPlace): readonly Mention[] {
	return [...text.matchAll(/(?<=^|\s)@(?:"([^"\n]+)"|(\S+))/g)].flatMap((match) => {
		const [all, quoted, bare = ""] = match;
		const name = bare.replace(/(?<![,.;:!?)])[,.;:!?)]+$/, "");
		const path = imageAt(quoted ?? name, place);
		const mention = quoted === undefined ? `@${name}` : all;
		return path === undefined ? [] : [{ mention, at: match.index, path }];
	});
}

/** The absolute path that `written` stands for: `~`, `file://`, quotes and backslashes are understood. */
export function pathOf(written: string, place: PathPlace): string {
	const [only = written, ...more] = wordsIn(written.trim());
	return absolute(more.length === 0 ? only : written.trim(), place);
}

function imageAt(written: string, place: PathPlace): string | undefined {
	if (!imageName.test(written)) return undefined;
	const path = absolute(written, place);
	const stat = attempt(() => statSync(path, { throwIfNoEntry: false }));
	return stat.ok && stat.value?.isFile() === true ? path : undefined;
}

function absolute(written: string, { folder, home }: PathPlace): string {
	if (written.startsWith("file://")) {
		const read = attempt(() => fileURLToPath(written));
		return read.ok ? read.value : written;
	}
	if (written.startsWith("~/")) return join(home, written.slice(2));
	return isAbsolute(written) ? written : resolve(folder, written);
}

/** The words of `text` as a shell would split them; nothing in them is expanded. */
function wordsIn(text: string): readonly string[] {
	return [...text.matchAll(/(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\])+/gs)].map(([word]) =>
		word.replace(/'[^']*'|"(?:\\.|[^"\\])*"|\\./gs, unquoted),
	);
}

function unquoted(piece: string): string {
	if (piece.startsWith("'")) return piece.slice(1, -1);
	return piece.startsWith('"') ? piece.slice(1, -1).replace(/\\(["\\$`])/g, "$1") : piece.slice(1);
}
