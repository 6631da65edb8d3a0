/** What was typed in earlier chats. */

import { describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openInputHistory } from "../../../lib/cli/terminal/input-history.ts";
import { createRedactor } from "../../../lib/security/redact.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const redact = createRedactor(["my-own-secret-value"]);

describe("openInputHistory()", () => {
	test("keeps what is typed for the next chat, once in a row, in a file of the user alone", () => {
		using home = temporaryFolder();
		const history = openInputHistory(home.path, redact);
		for (const text of ["one", "two\nlines", "two\nlines", "one", "  ", " not this"]) history.add(text);
		expect(openInputHistory(home.path, redact).entries).toEqual(["one", "two\nlines", "one"]);
		expect(statSync(join(home.path, "chat_history.jsonl")).mode & 0o777).toBe(0o600);
	});

	test("has no markers of images of an earlier chat, which may be those of others now", () => {
		using home = temporaryFolder();
		openInputHistory(home.path, redact).add("what is [image #1: clipboard 8×6]?");
		expect(openInputHistory(home.path, redact).entries).toEqual(["what is [earlier image: clipboard 8×6]?"]);
	});

	test("keeps no secret, known or known by its shape", () => {
		using home = temporaryFolder();
		const history = openInputHistory(home.path, redact);
		history.add("use my-own-secret-value and ghp_abcdefghijklmnopqrstuvwxyz0123456789");
		const kept = readFileSync(join(home.path, "chat_history.jsonl"), "utf8");
		expect(kept).not.toContain("my-own-secret-value");
		expect(kept).not.toContain("abcdefghijklmnopqrstuvwxyz");
	});

	test("reads over broken lines, and cuts a file that has become long", () => {
		using home = temporaryFolder();
		const path = join(home.path, "chat_history.jsonl");
		const lines = Array.from({ length: 1_200 }, (_, at) => JSON.stringify({ text: `entry ${at}` }));
		writeFileSync(path, `${lines.join("\n")}\n{"text": "half\n[]\n`);
		const { entries } = openInputHistory(home.path, redact);
		expect([entries.length, entries[0], entries.at(-1)]).toEqual([500, "entry 700", "entry 1199"]);
		expect(readFileSync(path, "utf8").trimEnd().split("\n")).toHaveLength(500);
	});

	test("a file that cannot be read or written is as good as none", () => {
		using home = temporaryFolder();
		mkdirSync(join(home.path, "chat_history.jsonl"));
		const history = openInputHistory(home.path, redact);
		expect(history.entries).toEqual([]);
		history.add("one");
	});
});
