import { expect, test } from "bun:test";
import { parseQuery, wantedTerms } from "../../../lib/store/search/query.ts";
import { snippetOf } from "../../../lib/store/search/snippet.ts";

const snippet = (text: string, query: string) => {
	const node = parseQuery(query);
	return snippetOf(text, node === undefined ? [] : wantedTerms(node));
};
const words = (count: number, word = "word") => Array(count).fill(word).join(" ");

test.each([
	["Don't panic", "don't", ">>>Don't<<< panic"],
	["one\n\ttwo  three", "two", "one >>>two<<< three"],
	["Café au lait, CAFE noir", "cafe", ">>>Café<<< au lait, >>>CAFE<<< noir"],
	["deployments and deploy", "deploy*", ">>>deployments<<< and >>>deploy<<<"],
	["a deployment", "deploy", "a deployment"],
	["the quick brown fox", '"quick brown"', "the >>>quick brown<<< fox"],
	["今天北京天气很好", "天气", "今天北京>>>天气<<<很好"],
	["nothing here", "", "nothing here"],
])("snippetOf() shows in %p for %p %p", (text, query, shown) => {
	expect(snippet(text, query)).toBe(shown);
});

test("snippetOf() takes 40 words from where most of the terms are", () => {
	const text = `ship ${words(100)} the ship leaves ${words(100)}`;
	const shown = snippet(text, "ship leaves");
	expect(shown).toBe(`…${words(9)} the >>>ship<<< >>>leaves<<< ${words(28)}…`);
	expect(shown.split(" ")).toHaveLength(40);
});
