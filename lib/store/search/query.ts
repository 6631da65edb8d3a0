/** What a person types into a search, read so that nothing in it can be an error. */

import { isUnspaced } from "../unspaced.ts";

/** One thing that a message must have. */
export interface Term {
	readonly text: string;
	/** `prefix` is a word whose end may differ. */
	readonly form: "word" | "prefix" | "phrase";
	/** `words`: by the index of words. `letters`: anywhere, also inside a word; for scripts without spaces, and signs. */
	readonly by: "words" | "letters";
}

/** What a message must be like; `but` keeps what has `keep` and not `drop`. */
export type Node =
	| { readonly kind: "term"; readonly term: Term }
	| { readonly kind: "all" | "any"; readonly nodes: readonly Node[] }
	| { readonly kind: "but"; readonly keep: Node; readonly drop: Node };

/** Characters and words of a query that count; the rest of a pasted page helps nobody. */
const longestQuery = 2_000;
const mostTokens = 60;

type Operator = "AND" | "OR" | "NOT" | "(" | ")";
type Token = { readonly operator: Operator } | { readonly term: Term };

/**
 * Reads `AND`, `OR`, `NOT` (in capitals only), brackets around groups, "phrases" and prefix*. An operator that has nothing to
 * work on is left out, a leading NOT is a word: `NOT NULL` looks for both. Undefined when there is nothing to look for.
 */
export function parseQuery(text: string): Node | undefined {
	return parse(meaningful(tokensOf(text)));
}

/** The same with operators and brackets as nothing but words and signs. */
export function parsePlainQuery(text: string): Node | undefined {
	return parse(meaningful(tokensOf(text, { operators: false })));
}

/** All terms that a match has, without those it must not have. */
export function wantedTerms(node: Node): readonly Term[] {
	switch (node.kind) {
		case "term":
			return [node.term];
		case "but":
			return wantedTerms(node.keep);
		default:
			return node.nodes.flatMap(wantedTerms);
	}
}

function tokensOf(text: string, { operators = true } = {}): Token[] {
	const clean = text
		.slice(0, longestQuery)
		.normalize("NFC")
		.replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, (sign) => (sign === "\u200d" ? sign : " "));
	const tokens = lex(clean, operators);
	const depth = tokens.reduce((depth, token) => (depth < 0 ? depth : depth + step(token)), 0);
	// Brackets that do not pair group nothing.
	return depth === 0 ? tokens : tokens.filter((token) => step(token) === 0);
}

function step(token: Token): number {
	if (!("operator" in token)) return 0;
	if (token.operator === "(") return 1;
	return token.operator === ")" ? -1 : 0;
}

function lex(text: string, operators: boolean): Token[] {
	const tokens: Token[] = [];
	const parts = /["“„]([^"”“]*)["”“]|(\S[^\s"“”„]*)/gu;
	for (const [, phrase, word] of text.matchAll(parts)) {
		if (tokens.length >= mostTokens) break;
		if (phrase !== undefined) tokens.push(...phraseTokens(phrase));
		else if (word !== undefined) tokens.push(...(operators ? wordTokens(word) : termTokens(word)));
	}
	return tokens;
}

function phraseTokens(text: string): Token[] {
	const phrase = text.trim().replace(/\s+/g, " ");
	return phrase === "" ? [] : [{ term: { text: phrase, form: "phrase", by: indexFor(phrase) } }];
}

function wordTokens(word: string): Token[] {
	if (word === "AND" || word === "OR" || word === "NOT") return [{ operator: word }];
	const opened = /^\(+/.exec(word)?.[0].length ?? 0;
	const inner = word.slice(opened);
	const closed = Math.max(0, Math.min(countOf(inner, ")") - countOf(inner, "("), /\)+$/.exec(inner)?.[0].length ?? 0));
	return [
		...Array.from({ length: opened }, (): Token => ({ operator: "(" })),
		...termTokens(inner.slice(0, inner.length - closed)),
		...Array.from({ length: closed }, (): Token => ({ operator: ")" })),
	];
}

function termTokens(word: string): Token[] {
	const text = withoutSentenceMarks(word);
	if (text === "") return [];
	const isPrefix = /[\p{L}\p{N}]\*+$/u.test(text);
	const bare = isPrefix ? text.replace(/\*+$/, "") : text;
	return [{ term: { text: bare, form: isPrefix ? "prefix" : "word", by: indexFor(bare) } }];
}

/** What ends a sentence or quotes a word is not a part of it; a lone sign is. Brackets stay where they pair: `main()`. */
function withoutSentenceMarks(word: string): string {
	const bare = word
		.replace(/^['‘’«»¿¡]+(?=[\p{L}\p{N}])/u, "")
		.replace(/(?<=[\p{L}\p{N}*)\]}])['’‘«»?!.,;:…，。、！？：；]+$/u, "");
	return [
		["(", ")"],
		["[", "]"],
		["{", "}"],
	].reduce((text, [open = "", close = ""]) => {
		return countOf(text, open) === countOf(text, close)
			? text
			: text.replaceAll(open, " ").replaceAll(close, " ").trim();
	}, bare);
}

function countOf(text: string, sign: string): number {
	return text.split(sign).length - 1;
}

/** The index of words has letters and digits only: signs alone, and scripts without spaces, are looked for letter by letter. */
function indexFor(text: string): Term["by"] {
	return isUnspaced(text) || !/[\p{L}\p{N}]/u.test(text) ? "letters" : "words";
}

/** Dashes and other marks between words mean nothing; alone they are what is looked for. Pictures always are. */
function meaningful(tokens: readonly Token[]): Token[] {
	const means = (token: Token) => !("term" in token) || /[\p{L}\p{N}\p{So}]/u.test(token.term.text);
	const kept = tokens.filter(means);
	return kept.some((token) => "term" in token) ? kept : [...tokens];
}

function parse(tokens: readonly Token[]): Node | undefined {
	return new Reader(tokens).readAny();
}

/** Reads tokens from left to right; NOT binds before AND, AND before OR. */
class Reader {
	readonly #tokens: readonly Token[];
	#at = 0;

	constructor(tokens: readonly Token[]) {
		this.#tokens = tokens;
	}

	readAny(): Node | undefined {
		const nodes: Node[] = [];
		for (;;) {
			const node = this.#readAll();
			if (node !== undefined) nodes.push(node);
			if (!this.#take("OR")) return joined("any", nodes);
		}
	}

	#readAll(): Node | undefined {
		const keep: Node[] = [];
		const drop: Node[] = [];
		for (;;) {
			if (this.#take("AND")) continue;
			const isNot = this.#take("NOT");
			const node = this.#readOne();
			if (node === undefined) break;
			if (isNot && keep.length === 0) keep.push(termNode("NOT"), node);
			else (isNot ? drop : keep).push(node);
		}
		const kept = joined("all", keep);
		const dropped = joined("any", drop);
		return kept === undefined || dropped === undefined ? kept : { kind: "but", keep: kept, drop: dropped };
	}

	#readOne(): Node | undefined {
		const token = this.#tokens[this.#at];
		if (token === undefined) return undefined;
		if ("term" in token) {
			this.#at++;
			return { kind: "term", term: token.term };
		}
		if (!this.#take("(")) return undefined;
		const node = this.readAny();
		this.#take(")");
		return node ?? this.#readOne();
	}

	#take(operator: Operator): boolean {
		const token = this.#tokens[this.#at];
		if (token === undefined || !("operator" in token) || token.operator !== operator) return false;
		this.#at++;
		return true;
	}
}

function termNode(text: string): Node {
	return { kind: "term", term: { text, form: "word", by: "words" } };
}

function joined(kind: "all" | "any", nodes: readonly Node[]): Node | undefined {
	return nodes.length < 2 ? nodes[0] : { kind, nodes };
}
