/** The text form of notes: entries, with a line that holds only a section sign between two of them. */

const mark = "§";
const separator = `\n${mark}\n`;

/** What a file of notes holds. `isFaithful` is false when writing the entries back would lose something of it. */
export interface ParsedEntries {
	/** In the order of the file, each once. */
	readonly entries: readonly string[];
	readonly isFaithful: boolean;
}

/** Reads the text of a file. */
export function parseEntries(text: string): ParsedEntries {
	const whole = text.replaceAll("\r\n", "\n").trim();
	const read = whole.split(separator).map((entry) => entry.trim());
	const kept = read.filter((entry) => entry !== "");
	return { entries: [...new Set(kept)], isFaithful: whole === "" || kept.join(separator) === whole };
}

/** The text of a file that holds `entries`. */
export function formatEntries(entries: readonly string[]): string {
	return entries.length === 0 ? "" : `${entries.join(separator)}\n`;
}

/** Characters that `entries` take in a file, the marks between them included. */
export function sizeOf(entries: readonly string[]): number {
	return entries.join(separator).length;
}

/** Whether `content` would come back as something else than one entry. */
export function breaksApart(content: string): boolean {
	return content.split("\n").some((line) => line.trim() === mark);
}
