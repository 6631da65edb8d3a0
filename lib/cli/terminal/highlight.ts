/** Colours for code in answers: comments, texts, numbers and the words that most languages share. Good enough to read by. */

import type { Style, Theme } from "./theme.ts";

/** Languages whose comments begin with `#`; every other one has `//` and `/*`, or its own entry below. */
const hashComments = new Set(
	"bash sh zsh fish shell console python py ruby rb yaml yml toml make makefile dockerfile r perl pl elixir ex nix conf ini cmake tf hcl graphql powershell ps1".split(
		" ",
	),
);
const dashComments = new Set("sql lua haskell hs elm ada vhdl".split(" "));
const noHighlight = new Set(["text", "txt", "plain", "output", "log", "md", "markdown", ""]);

const words =
	"abstract alias and as assert async await begin bool boolean break byte case catch char class const continue def default defer del delete do double elif else elsif end enum except export extends extern false final finally float fn for from func function global go goto if impl implements import in include instanceof int interface is lambda let local long loop match mod module mut namespace new nil None not null num of operator or override package pass private protected pub public raise readonly ref require rescue return select self short signed sizeof static str string struct super switch template then this throw throws trait true True False try type typedef typeof undefined union unless unsafe until use using val var virtual void volatile when where while with yield fi done esac echo SELECT FROM WHERE INSERT INTO UPDATE DELETE CREATE TABLE JOIN ON GROUP BY ORDER LIMIT VALUES SET AND OR NOT NULL PRIMARY KEY INDEX";
const keywords = new Set(words.split(" "));

/** What a scan of one line has found. */
type Token = "comment" | "string" | "number" | "word" | "other";

/**
 * The lines of `code` with colours. `language` is what the fence says; code of none, and what is no code, stays as it is. A
 * comment or text that goes over several lines is coloured on its first line only.
 */
export function highlightCode(code: readonly string[], language: string, theme: Theme): readonly string[] {
	const name = language.toLowerCase();
	if (noHighlight.has(name)) return code;
	if (name === "diff" || name === "patch") return code.map((line) => diffLine(line, theme));
	const scan = scannerFor(name);
	return code.map((line) => paintLine(line, scan, theme));
}

/** A line of a diff in its colour. */
export function diffLine(line: string, theme: Theme): string {
	if (/^(?:\+\+\+|---|diff |index )/.test(line)) return theme.bold(line);
	if (line.startsWith("@@")) return theme.accent(line);
	if (line.startsWith("+")) return theme.good(line);
	return line.startsWith("-") ? theme.bad(line) : line;
}

function scannerFor(language: string): RegExp {
	const string = `"(?:\\\\.|[^"\\\\])*"|'(?:\\\\.|[^'\\\\])*'|\`(?:\\\\.|[^\`\\\\])*\``;
	const number = "\\b(?:0[xXbBoO][\\da-fA-F_]+|\\d[\\d_]*(?:\\.\\d+)?(?:[eE][+-]?\\d+)?)\\b";
	const word = "[A-Za-z_$][\\w$]*";
	return new RegExp(`(${commentOf(language)})|(${string})|(${number})|(${word})`, "g");
}

function commentOf(language: string): string {
	if (hashComments.has(language)) return "(?<![\\w$])#.*$";
	if (dashComments.has(language)) return "--.*$";
	if (language === "json") return "(?!)";
	return language === "html" || language === "xml" ? "<!--.*?(?:-->|$)" : "\\/\\/.*$|\\/\\*.*?(?:\\*\\/|$)";
}

function paintLine(line: string, scan: RegExp, theme: Theme): string {
	let painted = "";
	let at = 0;
	for (const found of line.matchAll(scan)) {
		painted += line.slice(at, found.index) + styleOf(tokenOf(found), theme)(found[0]);
		at = found.index + found[0].length;
	}
	return painted + line.slice(at);
}

function tokenOf([, comment, string, number, word]: RegExpExecArray): Token {
	if (comment !== undefined) return "comment";
	if (string !== undefined) return "string";
	if (number !== undefined) return "number";
	return word !== undefined && keywords.has(word) ? "word" : "other";
}

function styleOf(token: Token, theme: Theme): Style {
	const styles: Readonly<Record<Token, Style>> = {
		comment: theme.dim,
		string: theme.text,
		number: theme.number,
		word: theme.keyword,
		other: (text) => text,
	};
	return styles[token];
}
