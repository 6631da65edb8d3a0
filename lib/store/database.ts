/** Opens `state.db`: ours and no newer than we know, or not at all. */

import type { Store } from "./store.ts";
import { StoreRefused } from "./store.ts";

/**
 * Opens the database at `path`, making it when there is none.
 * @throws {StoreRefused} When the file is not ours, comes from a newer program, or cannot be written.
 */
export function openStore(path: string): Store {
	throw new StoreRefused(`Cannot open "${path}": not there yet`);
}
