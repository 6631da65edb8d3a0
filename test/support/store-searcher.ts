/** A process that searches a database until its stdin ends, and prints how often: `store-searcher.ts PATH WORD`. */

import { openStore } from "../../lib/store/database.ts";

const [path = "", word = ""] = process.argv.slice(2);
let isAsked = true;
void Bun.stdin.text().then(() => {
	isAsked = false;
});
using store = openStore(path);
let searches = 0;
let most = 0;
while (isAsked) {
	const found = store.read((database) =>
		database
			.query<{ found: number }, { word: string }>(
				"SELECT count(*) AS found FROM messages_fts WHERE messages_fts MATCH $word",
			)
			.get({ word }),
	);
	if ((found?.found ?? -1) < most) throw new Error(`${word} was found ${most} times and now ${found?.found} times`);
	most = found?.found ?? 0;
	searches++;
	await Bun.sleep(20);
}
process.stdout.write(String(searches));
