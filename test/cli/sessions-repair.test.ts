/** hermes sessions repair: what users do about a file that is damaged. */

import { Database } from "bun:sqlite";
import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "../../lib/store/database.ts";
import { runInProcess } from "../support/command-line.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Other tests may keep the machine busy.
setDefaultTimeout(60_000);

test("hermes sessions repair saves what a damaged file still holds, and keeps the file (R119)", async () => {
	using folder = temporaryFolder();
	const home = folder.path;
	const path = join(home, ".hermes/state.db");
	mkdirSync(join(home, ".hermes"));
	{
		using store = openStore(path);
		store.createSession({ id: "s", source: "cli" });
		for (let index = 0; index < 100; index++) {
			store.appendMessage("s", { role: "user", content: `message ${index} `.padEnd(500, "of many ") });
		}
	}
	const hermes = (...args: string[]) => runInProcess(["sessions", ...args], home);
	expect(await hermes("repair")).toEqual({ stdout: "The database is sound\n", stderr: "", exitCode: 0 });

	const database = new Database(path, { readonly: true });
	const pages = database
		.query<{ pageno: number }, []>("SELECT pageno FROM dbstat WHERE name = 'messages' AND pagetype = 'leaf'")
		.all();
	database.close();
	const bytes = readFileSync(path);
	const start = ((pages[3]?.pageno ?? 1) - 1) * 4096;
	bytes.fill(0, start, start + 4096);
	writeFileSync(path, bytes);

	expect((await hermes("show", "s")).stderr).toContain(
		"it is damaged; keep a copy of it and run hermes sessions repair",
	);
	const { stdout, exitCode } = await hermes("repair", "--json");
	const { found, left, outcome, kept, lost } = JSON.parse(stdout);
	expect({ some: found.length > 0, left, outcome, few: lost > 0 && lost < 10, exitCode }).toEqual({
		some: true,
		left: [],
		outcome: "saved",
		few: true,
		exitCode: 0,
	});
	expect(existsSync(kept)).toBe(true);
	using store = openStore(path);
	expect(store.listMessages("s").length).toBe(100 - lost);
});
