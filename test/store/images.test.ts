/** Images of messages in the store, and their files beside it. */

import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { existsSync, utimesSync } from "node:fs";
import { join } from "node:path";
import type { Message, MessageImage } from "../../lib/base/conversation.ts";
import { imagePath, keepImage } from "../../lib/images/image-store.ts";
import { openStore } from "../../lib/store/database.ts";
import { pngPicture } from "../support/picture.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const showing = (...images: MessageImage[]): Message => ({ role: "user", content: "Look", images });

async function scene() {
	const home = temporaryFolder();
	const path = join(home.path, "state.db");
	const store = openStore(path);
	const [one, two, draft, old] = await Promise.all(
		[1, 2, 3, 4].map((width) => keepImage(home.path, pngPicture(width, 1), { name: `${width}.png` })),
	);
	if (one === undefined || two === undefined || draft === undefined || old === undefined) throw new Error("no images");
	for (const id of ["a", "b"]) store.createSession({ id, source: "cli" });
	const isThere = (image: MessageImage) => existsSync(imagePath(home.path, image));
	const dispose = () => {
		store.close();
		home[Symbol.dispose]();
	};
	return { home: home.path, path, store, one, two, draft, old, isThere, [Symbol.dispose]: dispose };
}

test("a message comes back with its images, and check() has nothing to say", async () => {
	using at = await scene();
	const { name: _, ...nameless } = at.two;
	const messages = [showing(at.one, nameless), { ...showing(at.one), origin: "harness" }] as const;
	for (const message of messages) at.store.appendMessage("a", message);
	expect(at.store.listMessages("a").map(({ message }) => message)).toEqual([...messages]);
	expect(at.store.check()).toEqual([]);
});

test("deleteSession() takes the images along that no other session shows", async () => {
	using at = await scene();
	at.store.appendMessage("a", showing(at.one, at.two));
	at.store.appendMessage("b", showing(at.two));
	at.store.deleteSession("a");
	expect([at.one, at.two, at.draft].map(at.isThere)).toEqual([false, true, true]);
	// Taken back is not forgotten.
	const [only] = at.store.listMessages("b");
	at.store.rewind("b", only?.id ?? 0);
	at.store.prune();
	expect(at.isThere(at.two)).toBe(true);
});

test("prune() takes images of old sessions and of drafts that were forgotten, also beside a row that cannot be read", async () => {
	using at = await scene();
	const { path, store } = at;
	store.appendMessage("a", showing(at.one));
	store.appendMessage("b", showing(at.two));
	store.endSession("a", "cli_close");
	const long = new Date(Date.now() - 3 * 86_400_000);
	utimesSync(imagePath(at.home, at.old), long, long);
	{
		using other = new Database(path);
		other.run("UPDATE sessions SET ended_at = 1 WHERE id = 'a'");
		other.run(
			"INSERT INTO messages (session_id, role, content, timestamp, extra) VALUES ('b', 'user', 'x', 1, '{\"images\": [')",
		);
	}
	expect(store.prune({ days: 1 })).toEqual(["a"]);
	expect([at.one, at.two, at.draft, at.old].map(at.isThere)).toEqual([false, true, true, false]);
});

test("maintain() takes the images of the sessions that it removes", async () => {
	using at = await scene();
	at.store.appendMessage("a", showing(at.one));
	at.store.appendMessage("b", showing(at.two));
	at.store.endSession("a", "cli_close");
	{
		using other = new Database(at.path);
		other.run("UPDATE sessions SET ended_at = 1 WHERE id = 'a'");
	}
	expect(at.store.maintain({ days: 1 })).toBe(1);
	expect([at.one, at.two].map(at.isThere)).toEqual([false, true]);
});
