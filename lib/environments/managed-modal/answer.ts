/** Reads what our scripts say: lines that begin with a mark, among whatever the service or a login there adds. */

/** What was fetched of a running program. */
export interface Fetched {
	readonly output: readonly Uint8Array[];
	readonly control: Uint8Array | undefined;
	/** Its exit code, once it has ended. */
	readonly exitCode: number | undefined;
	/** Nobody holds its output any more, and all of it was fetched. */
	readonly isDrained: boolean;
	/** Where to go on. */
	readonly cursor: Cursor;
}

/** A place in the output of a program: a piece, an offset in it, and one in what is kept apart. */
export interface Cursor {
	readonly piece: number;
	readonly offset: number;
	readonly control: number;
}

/** The beginning of an output. */
export const beginning: Cursor = { piece: 0, offset: 0, control: 0 };

/** What a fetching script answered. `cut`: its last line is missing, as when the service keeps only a part of long output. */
export type FetchAnswer =
	| { readonly is: "fetched"; readonly fetched: Fetched }
	| { readonly is: "gone" | "cut" }
	| { readonly is: "failed"; readonly why: string };

/** What follows `mark` on each line that has it. */
export function markedLines(output: string, mark: string): string[] {
	return output.split("\n").flatMap((line) => {
		const at = line.indexOf(`${mark} `);
		return at === -1 ? [] : [line.slice(at + mark.length + 1).trimEnd()];
	});
}

/** Reads the answer of a fetching script. */
export function readFetched(output: string, mark: string): FetchAnswer {
	const lines = markedLines(output, mark);
	const refused = lines.find((line) => line.startsWith("fail "));
	if (refused !== undefined) return { is: "failed", why: refused.slice("fail ".length) };
	if (lines.includes("gone")) return { is: "gone" };
	const [, code = "", drained = "", ...cursor] = lines.findLast((line) => line.startsWith(". "))?.split(" ") ?? [];
	const [piece, offset, control] = cursor.map(Number);
	if (piece === undefined || offset === undefined || control === undefined) return { is: "cut" };
	const parts = (kind: string) =>
		lines.filter((line) => line.startsWith(`${kind} `)).map((line) => Buffer.from(line.slice(2), "base64"));
	return {
		is: "fetched",
		fetched: {
			output: parts("o"),
			control: parts("c")[0],
			exitCode: /^\d+$/.test(code) ? Number(code) : undefined,
			isDrained: drained === "1",
			cursor: { piece, offset, control },
		},
	};
}
