/** A program that fetches pages whose names all resolve to this machine: `bun fetch-pages.ts URL…` prints what came of each. */

import { fetchPage } from "../../lib/web/fetch/fetch-page.ts";

const rules = { allowPrivate: true, blockedSites: [], resolve: async () => ["127.0.0.1"] };
const said: string[] = [];
for (const url of process.argv.slice(2)) {
	const { signal } = new AbortController();
	const page = await fetchPage(url, { rules, variables: {}, signal });
	said.push(page.ok ? new TextDecoder().decode(page.bytes) : page.error);
}
process.stdout.write(JSON.stringify(said));
