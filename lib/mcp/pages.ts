/** Lists that a server gives out page by page. */

/** Pages of a list, so that a server which repeats itself ends. */
const mostPages = 1_000;
/** Entries of a list; nobody could choose among more. */
const mostItems = 10_000;

/** One page. */
export interface Page {
	readonly items: readonly unknown[];
	readonly next: string | undefined;
}

/** The items of all pages, in order; ends at a cursor that was there before. */
export async function allPages(page: (cursor: string | undefined) => Promise<Page>): Promise<unknown[]> {
	const found: unknown[] = [];
	const seen = new Set<string>();
	let cursor: string | undefined;
	for (let count = 0; count < mostPages; count++) {
		const { items, next } = await page(cursor);
		found.push(...items);
		if (next === undefined || seen.has(next) || found.length >= mostItems) break;
		seen.add(next);
		cursor = next;
	}
	return found.slice(0, mostItems);
}
