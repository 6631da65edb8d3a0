/** What a conversation does about the store it finds: one of another program, one that is full of old sessions. */

import { Database } from "bun:sqlite";
import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "../../lib/store/database.ts";
import { startOpenAiServer } from "../support/openai-server.ts";
import { makePythonDatabase } from "../support/python-state-db.ts";
import { runHermes } from "../support/run-hermes.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Each test starts processes, and other tests may keep the machine busy.
setDefaultTimeout(60_000);

async function chat(home: string) {
	await using server = startOpenAiServer([{ text: "yes" }]);
	return await runHermes(["chat", "-m", "m", "--base-url", server.url, "-q", "there?"], { home });
}

test("hermes chat takes over the sessions of the Python hermes, says so once, and goes on beside them", async () => {
	using home = temporaryFolder();
	const folder = join(home.path, ".hermes");
	mkdirSync(folder);
	makePythonDatabase({ path: join(folder, "state.db"), version: 16 });
	const first = await chat(home.path);
	expect([first.stdout, first.exitCode]).toEqual(["yes\n", 0]);
	const kept = readdirSync(folder).find((name) => name.startsWith("state.db.python-v16-")) ?? "none";
	expect(first.stderr).toContain(`its sessions were taken over, and it is kept in "${join(folder, kept)}"`);
	expect((await chat(home.path)).stderr).not.toContain("taken over");
	const found = await runHermes(["sessions", "search", "zeppelin", "--json"], { home: home.path });
	expect(JSON.parse(found.stdout).map(({ session_id }: { session_id: string }) => session_id)).toEqual(["first"]);
	const listed = await runHermes(["sessions", "list", "--json"], { home: home.path });
	expect(JSON.parse(listed.stdout).map(({ id }: { id: string }) => id)).toContain("chat");
	using store = openStore(join(folder, "state.db"));
	expect(store.stats()).toMatchObject({ sessions: 6, messages: 14 });
});

test("hermes chat takes old sessions away when sessions.auto_prune is on", async () => {
	using home = temporaryFolder();
	const path = join(home.path, ".hermes/state.db");
	mkdirSync(join(home.path, ".hermes"));
	{
		using store = openStore(path);
		for (const id of ["old", "young"]) {
			store.createSession({ id, source: "cli" });
			store.endSession(id, "cli_close");
		}
		using database = new Database(path);
		database.run("UPDATE sessions SET ended_at = ended_at - 20 * 86400 WHERE id = 'old'");
	}
	const ids = () => {
		using store = openStore(path);
		return store.listSessions().map(({ id }) => id);
	};
	await chat(home.path);
	expect(ids()).toContain("old");
	writeFileSync(join(home.path, ".hermes/config.yaml"), "sessions: {auto_prune: true, retention_days: 10}\n");
	await chat(home.path);
	expect([ids().includes("old"), ids().includes("young"), ids().length]).toEqual([false, true, 3]);
});
