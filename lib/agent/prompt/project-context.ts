/** What the files of a project say to agents, as a part of the prompt: screened, cut where it is long, and told to the user. */

import { attemptAsync } from "../../base/attempt.ts";
import type { FilePlace } from "../../files/place.ts";
import { type ContextFile, findContextFiles } from "./find-context-files.ts";
import { type BlockedPart, screenContext } from "./screen-context.ts";

/** How files are taken in. */
export interface ContextRules {
	/** Characters of one file. */
	readonly maxCharacters: number;
	/** Hashes of paragraphs that the user has allowed although they look like an attack. */
	readonly allowed: ReadonlySet<string>;
	/** Told what was left out, a line each. */
	onWarning(message: string): void;
}

/** Empty when the folder has no such files. A place that cannot be asked is a warning: the session goes on without. */
export async function projectContext(place: FilePlace, folder: string, rules: ContextRules): Promise<string> {
	const found = await attemptAsync(() => findContextFiles(place, folder));
	if (!found.ok) {
		rules.onWarning(`The files for agents in ${folder} cannot be read: ${found.reason}`);
		return "";
	}
	const parts = found.value.map((file) => contextPart(file, rules)).filter(({ text }) => text !== "");
	if (parts.length === 0) return "";
	return ["# Project Context", ...parts.map(({ name, text }) => `## ${name}\n\n${text}`)].join("\n\n");
}

/** One file as it stands in the prompt. */
export function contextPart({ name, text }: ContextFile, rules: ContextRules): ContextFile {
	const screened = screenContext(name, text, rules.allowed);
	for (const part of screened.blocked) rules.onWarning(blockedWarning(part));
	const cut = cutText(name, screened.text, rules.maxCharacters);
	if (cut !== screened.text)
		rules.onWarning(
			`${name} is too long for the prompt: the model sees ${rules.maxCharacters} of its ${screened.text.length} characters (context_file_max_chars)`,
		);
	return { name, text: cut };
}

function blockedWarning({ file, line, what, hash }: BlockedPart): string {
	return `${file} line ${line} is kept from the model: ${what}. If it is harmless, add "${hash}" to security.allowed_context`;
}

const headPart = 0.7;
const tailPart = 0.2;

/** Whole lines of the beginning and the end. */
function cutText(name: string, text: string, most: number): string {
	if (text.length <= most) return text;
	const head = wholeLines(text.slice(0, Math.floor(most * headPart)), /\n[^\n]*$/);
	const tail = wholeLines(text.slice(-Math.floor(most * tailPart)), /^[^\n]*\n/);
	const mark = `[… ${name}: ${head.length + tail.length} of ${text.length} characters are shown; read the file for the rest …]`;
	return `${head}\n\n${mark}\n\n${tail}`;
}

/** Without the line that was cut, unless there is no other; never half a character. */
function wholeLines(text: string, broken: RegExp): string {
	const whole = text.replace(broken, "");
	return (whole.trim() === "" ? text : whole).toWellFormed();
}
