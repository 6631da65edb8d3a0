/** The contract of what looks for faults in a text file: a parser, a program of the sandbox, or a language server. */

import type { FilePlace } from "../place.ts";

/** One fault. */
export interface Problem {
	/** From 1, where it is known. */
	readonly line?: number;
	/** One line, as the program or parser says it. */
	readonly message: string;
}

/** A file as it is, or as it would be. */
export interface CheckedFile {
	readonly path: string;
	readonly text: string;
}

/** What was found; a file that could not be looked at has a reason instead. */
export type Findings = { readonly problems: readonly Problem[] } | { readonly skipped: string };

/** Looks at one file. It never changes anything, and needs no file on the disk. */
export type Check = (place: FilePlace, file: CheckedFile) => Promise<Findings>;
