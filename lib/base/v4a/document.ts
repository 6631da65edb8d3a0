/** A text file as lines that keep their own line ends, so that what a patch does not touch stays byte for byte. */

/** A text file, taken apart. */
export interface Document {
	/** Without line ends. */
	readonly lines: string[];
	/** `\n` or `\r\n` of each line; empty for a last line without one. */
	readonly ends: string[];
	/** Of most lines. */
	readonly mostly: string;
	readonly mark: string;
}

const byteOrderMark = "\ufeff";

/** `isVerbatim`: a carriage return is part of its line. */
export function openDocument(text: string, isVerbatim: boolean): Document {
	const mark = !isVerbatim && text.startsWith(byteOrderMark) ? byteOrderMark : "";
	const lines = text.slice(mark.length).split("\n");
	const ends = lines.map(() => "\n");
	if (lines.at(-1) === "") {
		lines.pop();
		ends.pop();
	} else ends[ends.length - 1] = "";
	let carriageReturns = 0;
	if (!isVerbatim && text.includes("\r\n")) {
		for (const [index, line] of lines.entries()) {
			if (!line.endsWith("\r") || ends[index] === "") continue;
			lines[index] = line.slice(0, -1);
			ends[index] = "\r\n";
			carriageReturns++;
		}
	}
	return { lines, ends, mostly: carriageReturns * 2 > lines.length ? "\r\n" : "\n", mark };
}

/** The text of `document`. */
export function closeDocument({ lines, ends, mark }: Document): string {
	return mark + lines.map((line, index) => line + (ends[index] ?? "")).join("");
}
