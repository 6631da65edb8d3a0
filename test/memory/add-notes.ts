/** Adds ten notes, as one of several processes that do so at once. */

import { openNotes } from "../../lib/memory/notes.ts";

const [folder = "", name = ""] = process.argv.slice(2);
const notes = openNotes({ folder, limits: { memory: 10_000, user: 10_000 } });
for (let at = 0; at < 10; at++) {
	const { ok } = await notes.change("memory", { action: "add", content: `${name} ${at}` }, AbortSignal.timeout(30_000));
	if (!ok) process.exit(1);
}
