/** The key of a server: made once, strong, for its owner alone. */

import { expect, test } from "bun:test";
import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { carriesKey, checkedKey, KeyUnusable, keepKey, readKeyFile } from "../../../lib/serve/mcp/http/access-key.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

test("keepKey() makes a key of 256 bits that only its owner can read, and gives the same one later", () => {
	using folder = temporaryFolder();
	const path = join(folder.path, "new/key");
	const key = keepKey(path);
	expect(Buffer.from(key, "base64url")).toHaveLength(32);
	expect(statSync(path).mode & 0o777).toBe(0o600);
	expect(keepKey(path)).toBe(key);
	expect(readFileSync(path, "utf8").trim()).toBe(key);
});

test("readKeyFile() refuses a file that others can read, one that is not there, and a weak key, and shows none of it", () => {
	using folder = temporaryFolder();
	const path = join(folder.path, "key");
	writeFileSync(path, "  a-key-of-some-length\n", { mode: 0o600 });
	expect(readKeyFile(path)).toBe("a-key-of-some-length");
	chmodSync(path, 0o640);
	expect(() => readKeyFile(path)).toThrow(KeyUnusable);
	expect(() => readKeyFile(path)).toThrow("run chmod 600 on it");
	expect(() => readKeyFile(join(folder.path, "none"))).toThrow("Cannot read the key file");
	for (const weak of ["", "secret", "two words that are long", "schlüssel-schlüssel"]) {
		expect(() => checkedKey(weak, "X")).toThrow(/^Cannot use the key of X: it has [^"]*$/);
	}
});

test.each([
	["Bearer a-key", true],
	["bearer a-key", true],
	["Bearer  a-key ", true],
	["Bearer a-ke", false],
	["Bearer a-keyy", false],
	["Bearer a-key a-key", false],
	["Basic a-key", false],
	["a-key", false],
	["", false],
	[undefined, false],
])("carriesKey() of %p is %p", (header, is) => {
	expect(carriesKey(header, "a-key")).toBe(is);
});
