import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Message } from "../../../lib/base/conversation.ts";
import { openStore } from "../../../lib/store/database.ts";
import { openArchive, type SessionArchive } from "../../../lib/store/search/archive.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

interface Line {
	readonly name: string;
	readonly session: string;
	readonly role: "user" | "assistant" | "tool";
	readonly text: string;
	readonly tool?: string;
	readonly calls?: { id: string; name: string; arguments: string }[];
	readonly source?: string;
	readonly active?: boolean;
}

interface Case {
	readonly query: string;
	/** Exactly these, in any order. */
	readonly finds?: readonly string[];
	/** This one before all others. */
	readonly first?: string;
	readonly loosened?: "endings" | "some";
	readonly filters?: { readonly sources?: string[]; readonly roles?: string[] };
}

const fixtures = join(import.meta.dir, "../../fixtures");
const lines = <T>(name: string): T[] =>
	readFileSync(join(fixtures, name), "utf8")
		.split("\n")
		.filter(Boolean)
		.map((line) => JSON.parse(line) as T);

const cases = lines<Case>("search-cases.jsonl");
const folder = temporaryFolder();
const path = join(folder.path, "state.db");
const names = new Map<number, string>();
let archive: SessionArchive;

beforeAll(() => {
	const store = openStore(path);
	for (const line of lines<Line>("search-corpus.jsonl")) {
		store.createSession({ id: line.session, source: line.source ?? "cli" });
		names.set(store.appendMessage(line.session, messageOf(line)), line.name);
	}
	store.close();
	const database = new Database(path);
	for (const line of lines<Line>("search-corpus.jsonl").filter(({ active }) => active === false))
		database.run("UPDATE messages SET active = 0 WHERE content = ?", [line.text]);
	database.close();
	archive = openArchive(path);
});

afterAll(() => {
	archive[Symbol.dispose]();
	folder[Symbol.dispose]();
});

function messageOf({ role, text, calls = [], tool = "terminal" }: Line): Message {
	if (role === "assistant") return { role, content: text, toolCalls: calls };
	return role === "tool" ? { role, toolCallId: "c", toolName: tool, content: text } : { role, content: text };
}

test.each(cases.map((line) => [JSON.stringify(line.query), line] as const))("search() finds %s", (_query, line) => {
	const { hits, loosened, problem } = archive.search({
		query: line.query,
		...line.filters,
		allMessages: true,
		limit: 50,
	});
	const found = hits.map(({ messageId }) => names.get(messageId) ?? "?");
	if (line.finds !== undefined) expect(found.toSorted()).toEqual(line.finds.toSorted());
	if (line.first !== undefined) expect(found[0]).toBe(line.first);
	expect({ loosened, problem }).toEqual({ loosened: line.loosened, problem: undefined });
});

test("search() never throws for signs of ASCII, alone, before, inside and behind a word", () => {
	const signs = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index));
	for (const sign of signs.filter((one) => !/[\w*]/.test(one))) {
		for (const query of [sign, sign.repeat(3), `${sign}butter`, `butter${sign}`]) {
			const found = archive.search({ query }).hits.map(({ messageId }) => names.get(messageId));
			if (query.includes("butter")) expect([query, found]).toEqual([query, ["andor"]]);
		}
		expect(() => archive.search({ query: `bread${sign}butter AND ${sign} OR NOT ${sign}*` })).not.toThrow();
	}
});
