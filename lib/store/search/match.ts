/** From a query to SQL: what the index of words can answer in one go, and what needs several looks. */

import { isUnspaced } from "../unspaced.ts";
import type { Node, Term } from "./query.ts";

/** The indexes that a database has. One that is missing is replaced by a look at every message. */
export interface Indexes {
	readonly words: boolean;
	readonly letters: boolean;
	/** Rows say whether they hold letters of scripts without spaces. */
	readonly marks: boolean;
}

/** A condition on `m`, the row of a message, with its values in order. */
export interface Condition {
	readonly sql: string;
	readonly values: readonly string[];
}

/** Letters that the index of letters needs at least: it holds groups of three. */
const leastLetters = 3;

/** What is searched of a message; the indexes hold the same. */
const searchedText = "coalesce(m.content, '') || ' ' || coalesce(m.tool_name, '') || ' ' || coalesce(m.tool_calls, '')";

/** The query for the index of words alone, in its own language; undefined when that index cannot answer all of it. */
export function wordsQuery(node: Node, indexes: Indexes): string | undefined {
	if (!indexes.words || !isAboutWords(node)) return undefined;
	return ftsOf(node);
}

/** Any query. */
export function conditionOf(node: Node, indexes: Indexes): Condition {
	if (indexes.words && isAboutWords(node)) return inIndex("messages_fts", ftsOf(node));
	switch (node.kind) {
		case "term":
			return termCondition(node.term, indexes);
		case "but": {
			const keep = conditionOf(node.keep, indexes);
			const drop = conditionOf(node.drop, indexes);
			return { sql: `(${keep.sql} AND NOT ${drop.sql})`, values: [...keep.values, ...drop.values] };
		}
		default: {
			const parts = node.nodes.map((part) => conditionOf(part, indexes));
			const sql = parts.map((part) => part.sql).join(node.kind === "all" ? " AND " : " OR ");
			return { sql: `(${sql})`, values: parts.flatMap((part) => part.values) };
		}
	}
}

/** `LIKE` for a text that stands anywhere in `m`; capitals count for ASCII only as little as in the index. */
export function textHas(text: string): Condition {
	return { sql: `(${searchedText}) LIKE ? ESCAPE '\\'`, values: [`%${text.replace(/[\\%_]/g, "\\$&")}%`] };
}

function termCondition({ text, by }: Term, indexes: Indexes): Condition {
	if (by === "words") return textHas(text);
	const isLongEnough = [...text].length >= leastLetters && /[\p{L}\p{N}]/u.test(text);
	if (indexes.letters && isLongEnough) return inIndex("messages_fts_trigram", quoted(text));
	const { sql, values } = textHas(text);
	return indexes.marks && isUnspaced(text) ? { sql: `(m.unspaced = 1 AND ${sql})`, values } : { sql, values };
}

function inIndex(table: string, query: string): Condition {
	return { sql: `m.id IN (SELECT rowid FROM ${table} WHERE ${table} MATCH ?)`, values: [query] };
}

function isAboutWords(node: Node): boolean {
	switch (node.kind) {
		case "term":
			return node.term.by === "words";
		case "but":
			return isAboutWords(node.keep) && isAboutWords(node.drop);
		default:
			return node.nodes.every(isAboutWords);
	}
}

/** Every word stands in quotes, so that no sign in it is an operator of FTS5. */
function ftsOf(node: Node): string {
	switch (node.kind) {
		case "term":
			return node.term.form === "prefix" ? `${quoted(node.term.text)} *` : quoted(node.term.text);
		case "but":
			return `(${ftsOf(node.keep)} NOT ${ftsOf(node.drop)})`;
		default:
			return `(${node.nodes.map(ftsOf).join(node.kind === "all" ? " AND " : " OR ")})`;
	}
}

function quoted(text: string): string {
	return `"${text.replaceAll('"', '""')}"`;
}
