/** Fetches the catalog of models.dev from time to time; nothing waits for it, and nothing is told to it. */

import { mkdirSync, statSync } from "node:fs";
import { writeFileAtomically } from "../../base/atomic-write.ts";
import type { Network } from "../provider.ts";
import { viaProxy } from "../wire/proxy.ts";
import { catalogPath, isKnownProvider, parseCatalog } from "./catalog.ts";

const address = "https://models.dev/api.json";
const freshMs = 24 * 3_600_000;
const limitMs = 15_000;

/** Where from, and how. */
export interface RefreshOptions {
	readonly home: string;
	readonly network?: Network;
	/** Another address, for a mirror. */
	readonly url?: string;
}

/** Whether the catalog was written. One that is younger than a day stays; a failure leaves the old one. */
export async function refreshCatalog({ home, network, url = address }: RefreshOptions): Promise<boolean> {
	const path = catalogPath(home);
	const known = statSync(path, { throwIfNoEntry: false });
	if (known !== undefined && Date.now() - known.mtimeMs < freshMs) return false;
	try {
		const response = await fetch(url, { signal: AbortSignal.timeout(limitMs), ...viaProxy(new URL(url), network) });
		const text = response.ok ? await response.text() : "";
		const catalog = parseCatalog(text);
		if (catalog === undefined) return false;
		mkdirSync(home, { recursive: true, mode: 0o700 });
		// Of well over a hundred providers: a session reads the file when it starts.
		const known = Object.entries(catalog).filter(([name]) => isKnownProvider(name));
		writeFileAtomically(path, JSON.stringify(Object.fromEntries(known)));
		return true;
	} catch {
		// Without a network the figures that are there has to do.
		return false;
	}
}
