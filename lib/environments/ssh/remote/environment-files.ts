/** Brings the variables of programs to the host in files that only their owner can read: arguments are seen by every user. */

import { quoteWord } from "../../../base/shell-quoting.ts";
import { environmentText } from "../../environment-text.ts";
import type { EnvironmentFile } from "./launcher.ts";

/** A file for one start. */
export interface PreparedEnvironment {
	/** Undefined when the program gets the login's own variables. */
	readonly file: EnvironmentFile | undefined;
	/** What the file holds, when it has to be sent. */
	readonly content: Uint8Array | undefined;
	/** To be called when the program runs, or will not: `isThere` tells whether the file can be used again. */
	settle(isThere: boolean): void;
}

/** Prepares starts; the same variables are sent once. */
export interface EnvironmentFiles {
	prepare(env: Readonly<Record<string, string>>): PreparedEnvironment;
	/** A file for one start alone, with arguments that are too long for a command line. */
	prepareOnce(env: Readonly<Record<string, string>>, argv: readonly string[]): PreparedEnvironment;
}

/** A file on the host, or on its way. */
interface Sent {
	readonly path: string;
	isThere: boolean;
	/** Starts that have not read it yet. */
	users: number;
}

/** Files in `folder` of the host. `inherited` are the names that a login brings along. */
export function createEnvironmentFiles(folder: string, inherited: readonly string[]): EnvironmentFiles {
	const sent = new Map<string, Sent>();
	let count = 0;
	const next = () => `${folder}/${count++}`;
	/** Files that belong to no state of the session any more, except those that a start may still read. */
	const takeUnused = (current: string) => {
		const unused = [...sent].filter(([content, file]) => content !== current && file.isThere && file.users === 0);
		for (const [content] of unused) sent.delete(content);
		return unused.map(([, { path }]) => path);
	};
	return {
		prepare(env) {
			const text = environmentText(env, inherited);
			if (text === "") return { file: undefined, content: undefined, settle() {} };
			const known = sent.get(text);
			if (known?.isThere) {
				known.users++;
				const file = { path: known.path, upload: undefined, remove: [], isTemporary: false };
				return { file, content: undefined, settle: (isThere) => release(known, isThere) };
			}
			// A parallel start may be sending the same; each sends its own, and the last one stays.
			const content = Buffer.from(text);
			const made: Sent = { path: next(), isThere: false, users: 1 };
			const file = { path: made.path, upload: { bytes: content.length }, remove: takeUnused(text), isTemporary: false };
			const settle = (isThere: boolean) => {
				release(made, isThere);
				if (isThere) sent.set(text, made);
			};
			return { file, content, settle };
		},
		prepareOnce(env, argv) {
			const content = Buffer.from(`${environmentText(env, inherited)}set -- ${argv.map(quoteWord).join(" ")}\n`);
			const file = { path: next(), upload: { bytes: content.length }, remove: [], isTemporary: true };
			return { file, content, settle() {} };
		},
	};

	function release(file: Sent, isThere: boolean): void {
		file.users--;
		file.isThere = isThere;
	}
}
