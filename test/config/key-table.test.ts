/** What the key table says of a key, against the code that reads it. */

import { beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { Glob } from "bun";
import type { Key } from "../../lib/config/schema/key.ts";
import { keyTable } from "../../lib/config/schema/table.ts";

const rows: readonly (readonly [string, Key])[] = Object.entries(keyTable);

/** The code of everything but the table itself. */
let code = "";

beforeAll(async () => {
	const root = join(import.meta.dir, "../..");
	const files = [...new Glob("lib/**/*.ts").scanSync(root)].filter((path) => !path.startsWith("lib/config/schema/"));
	code = (await Promise.all(files.map((path) => Bun.file(join(root, path)).text()))).join("\n");
});

/** Keys that are asked for by their name. */
function askedFor(): ReadonlySet<string> {
	return new Set([...code.matchAll(/\.get\(\s*"([\w.]+)"/g)].map(([, key = ""]) => key));
}

describe("keyTable", () => {
	test("keyTable calls every key used that something reads", () => {
		const asked = askedFor();
		// Of a key that is not used a wrong value is not refused, and `config check` says that nothing reads it.
		const wrong = rows.filter(([path, { used, lazy }]) => asked.has(path) && !used && !lazy).map(([path]) => path);
		expect(wrong).toEqual([]);
	});

	test("keyTable calls no key used that nothing reads", () => {
		const named = new Set([...code.matchAll(/["`.](\w[\w.]*)["`\]: =]/g)].map(([, name = ""]) => name));
		// A whole section, or a name that is put together where it is read.
		const heads = [...code.matchAll(/\.section\("([\w.]+)"|`(\w+)\.\$\{/g)].map(
			([, section, head]) => `${section ?? head}.`,
		);
		const isRead = (path: string) => named.has(path) || heads.some((head) => path.startsWith(head));
		expect(rows.filter(([path, { used }]) => used && !isRead(path)).map(([path]) => path)).toEqual([]);
	});
});
