/** The text of an .env file: what it says, and how one variable is changed without touching the rest. */

import { isRefusedVariable, isVariableName, knownVariables } from "./variable-names.ts";

/** What an .env file says. */
export interface EnvFile {
	readonly variables: Readonly<Record<string, string>>;
	/** Lines that were left out or repaired, one line each, without their values. */
	readonly warnings: readonly string[];
}

/**
 * Reads an .env file: a BOM, CRLF, `export`, quotes and `#` comments are understood, the last value of a name wins. A
 * line that a second known name was glued to is read as two (#8908), and `***` is a redacted paste, not a value.
 */
export function parseEnvFile(source: string): EnvFile {
	const variables: Record<string, string> = {};
	const warnings: string[] = [];
	source
		.replace(/^\uFEFF/, "")
		.split(/\r\n|\n|\r/)
		.forEach((line, index) => {
			const parts = splitGlued(line);
			if (parts.length > 1) warnings.push(`line ${index + 1}: two variables on one line were read as two`);
			for (const part of parts) {
				const read = readLine(part);
				if (read === undefined) continue;
				if ("ignored" in read) warnings.push(`line ${index + 1}: ${read.ignored}`);
				else variables[read.name] = read.value;
			}
		});
	return { variables, warnings };
}

/**
 * `source` with `name` set to `value`: its last line is replaced where it stands, or a line is added at the end. Comments
 * and every other line stay as they are, except that glued lines are parted.
 * @throws {EnvVariableRefused} For a name that is none or that rules which programs run, and for a value with a line break.
 */
export function setEnvVariable(source: string, name: string, value: string): string {
	if (!isVariableName(name)) throw new EnvVariableRefused(`Cannot set "${name}": a name has A-Z, 0-9 and _ only`);
	if (isRefusedVariable(name)) throw new EnvVariableRefused(`Cannot set "${name}": it decides which programs run`);
	if (/[\r\n\0]/.test(value)) throw new EnvVariableRefused(`Cannot set "${name}": the value has a line break in it`);
	const lineEnd = source.includes("\r\n") ? "\r\n" : "\n";
	const lines =
		source === ""
			? []
			: source
					.replace(/\r?\n$/, "")
					.split(/\r\n|\n|\r/)
					.flatMap(splitGlued);
	const index = lines.findLastIndex((line) => assignment.exec(line.replace(/^\uFEFF/, ""))?.groups?.name === name);
	const kept = index < 0 ? "" : (/^\uFEFF?\s*(?:export\s+)?/.exec(lines[index] ?? "")?.[0] ?? "");
	lines.splice(index < 0 ? lines.length : index, index < 0 ? 0 : 1, `${kept}${name}=${quoted(value)}`);
	return lines.join(lineEnd) + lineEnd;
}

/** A variable that must not stand in .env. The message never holds the value. */
export class EnvVariableRefused extends Error {
	override readonly name = "EnvVariableRefused";
}

const assignment = /^\s*(?:export\s+)?(?<name>[A-Za-z_][A-Za-z0-9_]*)\s*=[^\S\r\n]*(?<value>.*)$/;

type Line = { readonly name: string; readonly value: string } | { readonly ignored: string } | undefined;

function readLine(line: string): Line {
	if (/^\s*(?:#|$)/.test(line)) return undefined;
	const { name = "", value = "" } = assignment.exec(line)?.groups ?? {};
	if (!isVariableName(name)) return { ignored: "not of the form NAME=value" };
	const read = unquoted(value.trimEnd());
	if (read === undefined) return { ignored: `${name} has a quote that is not closed` };
	return /^\*{3,}$/.test(read) ? { ignored: `${name} is *** (a redacted paste)` } : { name, value: read };
}

/** `undefined` when the closing quote is missing. */
function unquoted(written: string): string | undefined {
	const quote = written[0];
	if (quote !== '"' && quote !== "'") return written.replace(/(?:^|\s+)#.*$/, "");
	let value = "";
	for (let index = 1; index < written.length; index++) {
		const character = written[index] ?? "";
		if (character === quote) return value;
		if (character !== "\\") value += character;
		else value += unescaped(written[++index] ?? "", quote);
	}
	return undefined;
}

function unescaped(character: string, quote: string): string {
	if (character === quote || character === "\\") return character;
	if (quote === "'") return `\\${character}`;
	const meant: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", $: "$" };
	return meant[character] ?? `\\${character}`;
}

/** Bare where every reader agrees; single quotes keep `$` from being filled in by other readers. */
function quoted(value: string): string {
	if (/^[A-Za-z0-9_\-./:@+=,%~]*$/.test(value)) return value;
	if (!/['\\]/.test(value)) return `'${value}'`;
	return `"${value.replace(/[\\"]/g, "\\$&")}"`;
}

/** Parts a line at each known name that follows an unquoted value without a break. */
function splitGlued(line: string): string[] {
	const start = assignment.exec(line);
	const value = start?.groups?.value ?? "";
	if (!start || /^["'#]/.test(value)) return [line];
	const valueStart = line.length - value.length;
	for (const found of value.matchAll(/(?<![A-Z0-9_])[A-Z0-9_]+=/g)) {
		const name = knownEnding(found[0].slice(0, -1));
		const at = valueStart + found.index + found[0].length - 1 - (name?.length ?? 0);
		// After `?` or `&` it is a parameter of an address, after a space a comment.
		const glued = name !== undefined && at > valueStart && /[\w\-+/=.]/.test(line[at - 1] ?? "");
		if (glued) return [line.slice(0, at), ...splitGlued(line.slice(at))];
	}
	return [line];
}

const longestName = Math.max(...[...knownVariables].map((name) => name.length));

/** The longest known name that `word` ends with: the value may end in capitals itself. */
function knownEnding(word: string): string | undefined {
	for (let start = Math.max(0, word.length - longestName); start < word.length; start++) {
		if (knownVariables.has(word.slice(start))) return word.slice(start);
	}
	return undefined;
}
