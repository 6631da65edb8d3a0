/** Splits a shell command into simple commands and words, in one pass over the text. */

import { decodeAnsiQuoted } from "./ansi-quoted.ts";
import { Nesting } from "./nesting.ts";
import { PartList } from "./part-list.ts";
import { type PendingHereDocument, ScriptBuilder } from "./script-builder.ts";
import { NestedTooDeep, type Script, type ScriptItem, type Word } from "./syntax.ts";

const deepest = 40;
/** Characters before a `<<` among which the bracket is looked for that makes it a shift. */
const farthestBracket = 2_000;
/** Characters of lines joined by backslashes that are compared with a delimiter. */
const longestJoined = 256;
const blank = new Set([" ", "\t", "\r"]);
const endsWord = new Set([" ", "\t", "\n", ";", "&", "|", "(", ")", "<", ">"]);
const startsOperator = new Set([";", "&", "|"]);
const startsRedirection = new Set(["<", ">", "&"]);
/** Characters that mean nothing outside of quotes, and inside of double ones; the `"` ends those of most. */
const plainRun = /[^\s;&|()<>\\'"$`]+/y;
const quotedRun = /[^\\$`"]+/y;
/** Longest first. */
const operators = ["&>>", ";;&", "&&", "||", ";;", ";&", "|&", "&>", ";", "&", "|"];
const redirections = ["<<<", "<<-", "<<", "<>", "<&", ">>", ">&", ">|", "<", ">"];

/** `${x:-word}` and `${x+word}`; `${x:?message}` stands for no word. */
const alternative = /:?[-=+]/y;

/**
 * The commands of `text`. Bad syntax is never an error: what a shell would refuse is read in the way that shows most
 * commands.
 *
 * @throws {NestedTooDeep} When substitutions are nested more than 40 deep.
 */
export function lexScript(text: string, depth = 0): Script {
	return new Lexer(text, depth).script(false);
}

/**
 * Where the comments of `text` are, those in substitutions included.
 * @throws {NestedTooDeep} As `lexScript` does.
 */
export function commentSpans(text: string): readonly { readonly start: number; readonly end: number }[] {
	const lexer = new Lexer(text, 0);
	lexer.script(false);
	return lexer.comments;
}

class Lexer {
	readonly comments: { readonly start: number; readonly end: number }[] = [];
	readonly #text: string;
	readonly #depth: number;
	/** A `<<` that may be a shift is read as one. */
	readonly #shifts: boolean;
	#at = 0;
	#nesting = new Nesting(false);
	#isReadTwice = false;

	constructor(text: string, depth: number, shifts = false) {
		if (depth > deepest) throw new NestedTooDeep(`Cannot read the command: more than ${deepest} levels of nesting`);
		this.#text = text;
		this.#depth = depth;
		this.#shifts = shifts;
	}

	/** `closes`: ends at the parenthesis that closes a substitution. */
	script(closes: boolean, depth = this.#depth): ScriptItem[] {
		if (depth > deepest) throw new NestedTooDeep(`Cannot read the command: more than ${deepest} levels of nesting`);
		const builder = new ScriptBuilder();
		const around = this.#nesting;
		const nesting = new Nesting(closes && this.#text[this.#at] === "(");
		while (this.#at < this.#text.length) {
			// A substitution inside has set its own.
			this.#nesting = nesting;
			const char = this.#text[this.#at] ?? "";
			if (char === ")" && closes && nesting.open === 0 && !builder.inCasePattern) {
				this.#at++;
				break;
			}
			if (!builder.inCasePattern) nesting.take(char, this.#text[this.#at + 1]);
			this.#step(char, builder, depth);
		}
		this.#nesting = around;
		return builder.finish();
	}

	#step(char: string, builder: ScriptBuilder, depth: number): void {
		if (blank.has(char)) this.#at++;
		else if (char === "#") this.#skipComment();
		else if (char === "\n") this.#newline(builder, depth);
		else if (char === "(" || char === ")") this.#parenthesis(char, builder);
		else if (this.#startsProcessSubstitution()) builder.word(this.#word(depth));
		else if (this.#takeOperator(builder) || this.#takeRedirection(builder, depth)) return;
		else this.#wordOrDescriptor(builder, depth);
	}

	#skipComment(): void {
		const found = this.#text.indexOf("\n", this.#at);
		const end = found < 0 ? this.#text.length : found;
		this.comments.push({ start: this.#at, end });
		this.#at = end;
	}

	#newline(builder: ScriptBuilder, depth: number): void {
		this.#at++;
		builder.operator("\n");
		const documents = builder.takeHereDocuments();
		if (documents.some(({ isDoubtful }) => isDoubtful) && !this.#shifts && !this.#isReadTwice) {
			// Once for all that follows, so that the time stays linear.
			this.#isReadTwice = true;
			builder.items(new Lexer(this.#text.slice(this.#at), depth + 1, true).script(false));
		}
		for (const pending of documents) {
			const lines = this.#hereDocument(pending);
			pending.redirection.body = pending.quoted
				? [{ kind: "text", text: lines, quoted: true }]
				: new Lexer(lines, depth + 1, this.#shifts).quotedText(undefined);
		}
	}

	#parenthesis(char: string, builder: ScriptBuilder): void {
		this.#at++;
		builder.parenthesis(char === "(");
	}

	#startsProcessSubstitution(): boolean {
		if (this.#text[this.#at + 1] !== "(") return false;
		const char = this.#text[this.#at];
		return char === "<" || char === ">";
	}

	#takeOperator(builder: ScriptBuilder): boolean {
		if (!startsOperator.has(this.#text[this.#at] ?? "")) return false;
		const operator = operators.find((candidate) => this.#text.startsWith(candidate, this.#at));
		// `&>file` is a redirection.
		if (operator === undefined || operator.startsWith("&>")) return false;
		this.#at += operator.length;
		builder.operator(operator);
		return true;
	}

	#takeRedirection(builder: ScriptBuilder, depth: number): boolean {
		if (!startsRedirection.has(this.#text[this.#at] ?? "")) return false;
		const both = this.#text.startsWith("&>", this.#at) ? 1 : 0;
		const operator = redirections.find((candidate) => this.#text.startsWith(candidate, this.#at + both));
		if (operator === undefined) return false;
		this.#at += both + operator.length;
		while (blank.has(this.#text[this.#at] ?? "") || this.#text.startsWith("\\\n", this.#at)) {
			this.#at += this.#text[this.#at] === "\\" ? 2 : 1;
		}
		if (operator === "<<" || operator === "<<-") this.#delimiter(operator, builder, depth);
		else builder.redirection(operator, this.#word(depth));
		return true;
	}

	#delimiter(operator: string, builder: ScriptBuilder, depth: number): void {
		const start = this.#at;
		const isDoubtful = this.#nesting.isArithmetic || this.#isInSubscript(start - operator.length);
		const word = this.#word(depth);
		const written = this.#text.slice(start, this.#at);
		if (isDoubtful && this.#shifts) builder.word(word);
		else builder.hereDocument(operator, word, { written, isDoubtful });
	}

	/** In `a[1<<2]` and `$[1<<2]`. */
	#isInSubscript(at: number): boolean {
		const near = this.#text.slice(Math.max(0, at - farthestBracket), at);
		const line = near.slice(near.lastIndexOf("\n") + 1);
		return /[\w$(]\[/.test(line) && line.split("[").length > line.split("]").length;
	}

	#wordOrDescriptor(builder: ScriptBuilder, depth: number): void {
		const before = this.#at;
		const word = this.#word(depth);
		// A word of nothing would stop the scan for ever.
		if (this.#at === before) this.#at++;
		const next = this.#text[this.#at];
		const isDescriptor = (next === ">" || next === "<") && /^(\d+|\{\w+\})$/.test(this.#text.slice(before, this.#at));
		if (!isDescriptor && word.length > 0) builder.word(word);
	}

	#word(depth: number): Word {
		const parts = new PartList();
		if (this.#startsProcessSubstitution()) {
			this.#at += 2;
			parts.push({ kind: "substitution", script: this.script(true, depth + 1), isFile: true });
		}
		while (this.#at < this.#text.length) {
			const char = this.#text[this.#at] ?? "";
			if (endsWord.has(char)) break;
			this.#wordChar(char, parts, depth);
		}
		return parts.finish();
	}

	#wordChar(char: string, parts: PartList, depth: number): void {
		if (char === "\\") this.#escape(parts);
		else if (char === "'") this.#singleQuoted(parts);
		else if (char === '"') this.#doubleQuoted(parts, depth);
		else if (char === "$") this.#dollar(parts, false, depth);
		else if (char === "`") this.#backquotes(parts, depth);
		else this.#run(plainRun, parts, false);
	}

	/** Takes a run of characters that mean nothing at once. */
	#run(pattern: RegExp, parts: PartList, quoted: boolean): void {
		pattern.lastIndex = this.#at;
		const text = pattern.exec(this.#text)?.[0] ?? this.#text[this.#at] ?? "";
		parts.text(text, quoted);
		this.#at += text.length;
	}

	#escape(parts: PartList): void {
		const next = this.#text[this.#at + 1] ?? "";
		this.#at += 2;
		// A backslash before a line end joins the lines.
		if (next !== "\n") parts.text(next, true);
	}

	#singleQuoted(parts: PartList): void {
		const end = this.#text.indexOf("'", this.#at + 1);
		const stop = end < 0 ? this.#text.length : end;
		parts.text(this.#text.slice(this.#at + 1, stop), true);
		this.#at = stop + 1;
	}

	#doubleQuoted(parts: PartList, depth: number): void {
		this.#at++;
		this.#quotedParts(parts, '"', depth);
		this.#at++;
	}

	/** Text in which only `$`, backquotes and backslash mean something, up to `end` or to the end of the input. */
	quotedText(end: string | undefined): Word {
		const parts = new PartList();
		this.#quotedParts(parts, end, this.#depth);
		return parts.finish();
	}

	#quotedParts(parts: PartList, end: string | undefined, depth: number): void {
		parts.text("", true);
		while (this.#at < this.#text.length) {
			const char = this.#text[this.#at] ?? "";
			if (char === end) return;
			if (char === "$") this.#dollar(parts, true, depth);
			else if (char === "`") this.#backquotes(parts, depth);
			else if (char === "\\" && '$`"\\\n'.includes(this.#text[this.#at + 1] ?? "-")) this.#escape(parts);
			else this.#run(quotedRun, parts, true);
		}
	}

	#dollar(parts: PartList, quoted: boolean, depth: number): void {
		const next = this.#text[this.#at + 1] ?? "";
		if (next === "(") {
			this.#at += 2;
			parts.push({ kind: "substitution", script: this.script(true, depth + 1) });
		} else if (next === "{") this.#bracedVariable(parts, quoted, depth);
		else if (next === "'" && !quoted) this.#ansiQuoted(parts);
		else if (next === '"' && !quoted) this.#at++;
		else this.#plainVariable(parts, quoted);
	}

	#plainVariable(parts: PartList, quoted: boolean): void {
		let end = this.#at + 1;
		while (/\w/.test(this.#text[end] ?? "")) end++;
		if (end === this.#at + 1 && "@*#?$!-".includes(this.#text[end] ?? "\0")) end++;
		const name = this.#text.slice(this.#at + 1, end);
		if (name === "") parts.text("$", quoted);
		else parts.push({ kind: "variable", name, quoted });
		this.#at = end;
	}

	#bracedVariable(parts: PartList, quoted: boolean, depth: number): void {
		let end = this.#at + 2;
		while (/\w/.test(this.#text[end] ?? "")) end++;
		const name = this.#text.slice(this.#at + 2, end);
		alternative.lastIndex = end;
		const operator = alternative.exec(this.#text)?.[0] ?? "";
		this.#at = end + operator.length;
		if (depth + 1 > deepest) throw new NestedTooDeep(`Cannot read the command: more than ${deepest} levels of nesting`);
		const inner = new PartList();
		while (this.#at < this.#text.length && this.#text[this.#at] !== "}") this.#bracedChar(inner, quoted, depth + 1);
		this.#at++;
		const word = inner.finish();
		const change = word.length > 0 && { change: word };
		parts.push({ kind: "variable", name, quoted, ...(operator === "" ? change : { otherwise: word }) });
	}

	#bracedChar(parts: PartList, quoted: boolean, depth: number): void {
		const char = this.#text[this.#at] ?? "";
		if (char === '"') this.#doubleQuoted(parts, depth);
		else if (char === "'" && !quoted) this.#singleQuoted(parts);
		else if (char === "$") this.#dollar(parts, quoted, depth);
		else if (char === "`") this.#backquotes(parts, depth);
		else if (char === "\\") this.#escape(parts);
		else {
			parts.text(char, quoted);
			this.#at++;
		}
	}

	#ansiQuoted(parts: PartList): void {
		let end = this.#at + 2;
		while (end < this.#text.length && this.#text[end] !== "'") end += this.#text[end] === "\\" ? 2 : 1;
		parts.text(decodeAnsiQuoted(this.#text.slice(this.#at + 2, end)), true);
		this.#at = end + 1;
	}

	#backquotes(parts: PartList, depth: number): void {
		let end = this.#at + 1;
		let inner = "";
		while (end < this.#text.length && this.#text[end] !== "`") {
			const escaped = this.#text[end] === "\\" && "`\\$".includes(this.#text[end + 1] ?? "-");
			if (escaped) end++;
			inner += this.#text[end] ?? "";
			end++;
		}
		this.#at = end + 1;
		parts.push({ kind: "substitution", script: new Lexer(inner, depth + 1, this.#shifts).script(false) });
	}

	#hereDocument({ delimiter, stripTabs, quoted }: PendingHereDocument): string {
		const lines: string[] = [];
		let joined = "";
		while (this.#at < this.#text.length) {
			const end = this.#text.indexOf("\n", this.#at);
			const stop = end < 0 ? this.#text.length : end;
			const raw = this.#text.slice(this.#at, stop);
			const line = stripTabs ? raw.replace(/^\t+/, "") : raw;
			this.#at = stop + 1;
			if (joined + line === delimiter) break;
			lines.push(line);
			// A backslash before a line end joins the lines, so that the delimiter may stand on two of them.
			const isJoined = !quoted && /(?<!\\)\\(?:\\\\)*$/.test(line.slice(-longestJoined));
			joined = isJoined && joined.length < longestJoined ? joined + line.slice(0, -1) : "";
		}
		return lines.join("\n");
	}
}
