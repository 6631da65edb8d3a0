/** What the shell lexer makes of a command line: as much of the grammar as is needed to know which programs run on what. */

/** A piece of a word. What cannot be known without running something is a substitution or a variable. */
export type WordPart =
	| { readonly kind: "text"; readonly text: string; readonly quoted: boolean }
	| {
			readonly kind: "variable";
			readonly name: string;
			readonly quoted: boolean;
			/** What `${name:-word}` and its like may stand for instead. */
			readonly otherwise?: Word;
			/** What changes the value: `#word` of `${name#word}`. */
			readonly change?: Word;
	  }
	/** `$(…)`, backquotes: the commands inside run before the word is used. `isFile`: `<(…)`, a file with what they print. */
	| { readonly kind: "substitution"; readonly script: Script; readonly isFile?: true };

/** One word, as its parts. */
export type Word = readonly WordPart[];

/** Where an input or output of a command goes. */
export interface Redirection {
	/** `>`, `>>`, `>|`, `&>`, `<`, `<<`, `<<<` and their like, without a leading descriptor number. */
	readonly operator: string;
	/** Where it points; for `<<` the delimiter. */
	readonly target: Word;
	/** The lines of a here-document; what the shell would expand in them is in `target` of its own kind. */
	body?: Word;
}

/** A program with its words and redirections. */
export interface SimpleCommand {
	readonly kind: "command";
	readonly words: readonly Word[];
	readonly redirections: readonly Redirection[];
}

/** Commands in order, with the operators and parentheses between them. */
export type ScriptItem =
	| SimpleCommand
	| { readonly kind: "operator"; readonly text: string }
	| { readonly kind: "open" }
	| { readonly kind: "close" };

/** A script, as what stands in it. */
export type Script = readonly ScriptItem[];

/** Substitutions are nested deeper than anybody writes by hand. */
export class NestedTooDeep extends Error {
	override readonly name = "NestedTooDeep";
}
