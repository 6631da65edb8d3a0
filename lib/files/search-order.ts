/** The order of search results: by path, as the programs sort that search in order. */

import type { SearchRecord } from "./search-records.ts";

/** ripgrep goes folder by folder, `sort` byte by byte: there a `.` comes before the `/` between folders. */
export type PathOrder = "folders" | "bytes";

/** `records` by their paths; those of one file stay as they are. */
export function inPathOrder(records: readonly SearchRecord[], order: PathOrder): SearchRecord[] {
	const keys = new Map<string, Buffer>();
	const keyOf = (path: string): Buffer => {
		const known = keys.get(path) ?? Buffer.from(order === "folders" ? path.replaceAll("/", "\0") : path);
		keys.set(path, known);
		return known;
	};
	return records.toSorted((left, right) =>
		left.path === right.path ? 0 : Buffer.compare(keyOf(left.path), keyOf(right.path)),
	);
}
