/** `${…}` of other programs in the words of config.yaml. */

import { basename, sep } from "node:path";
import type { ForeignInput } from "./foreign-file.ts";

/** What the texts are read with. */
export interface TranslateOptions {
	/** The folder that `${workspaceFolder}` stands for. */
	readonly folder: string;
	/** The user's home folder. */
	readonly home: string;
	readonly variables: Readonly<Record<string, string>>;
	readonly inputs: readonly ForeignInput[];
}

/** A variable that has to be set before the server can be used. */
export interface Need {
	readonly variable: string;
	readonly why: string;
	/** It must not be shown while it is typed. */
	readonly isSecret: boolean;
}

/** Collects what is found on the way. */
export interface Notes {
	readonly needs: Need[];
	readonly warnings: string[];
}

/** `${env:NAME}`, `${NAME:-default}`, `${input:id}`, `${userHome}` and the like; what nobody here knows stays as it is. */
export function translate(text: string, options: TranslateOptions, notes: Notes): string {
	return text.replace(/\$\{([^}]+)\}/g, (written, inner: string) => {
		const plain = placeOf(inner, options);
		if (plain !== undefined) return plain;
		if (inner.startsWith("input:")) return inputOf(inner.slice("input:".length), options, notes);
		const { name, usual } = /^(?:env:)?(?<name>[A-Za-z_]\w*)(?::-(?<usual>.*))?$/s.exec(inner)?.groups ?? {};
		if (name === undefined) {
			notes.warnings.push(`${written} is not known here and stays as it is`);
			return written;
		}
		if (options.variables[name] !== undefined) return `\${${name}}`;
		if (usual !== undefined) return usual;
		notes.needs.push({ variable: name, why: "it is not set", isSecret: true });
		return `\${${name}}`;
	});
}

function placeOf(inner: string, { folder, home }: TranslateOptions): string | undefined {
	if (inner === "workspaceFolder" || inner === "cwd" || inner.startsWith("workspaceFolder:")) return folder;
	if (inner === "workspaceFolderBasename") return basename(folder);
	if (inner === "userHome") return home;
	return inner === "pathSeparator" || inner === "/" ? sep : undefined;
}

function inputOf(id: string, { inputs, variables }: TranslateOptions, { needs }: Notes): string {
	const input = inputs.find((each) => each.id === id);
	if (input?.default !== undefined && input.password !== true) return input.default;
	const variable = `MCP_INPUT_${variablePart(id)}`;
	if (variables[variable] === undefined) {
		const why = input?.description ?? `it is asked for as "${id}"`;
		needs.push({ variable, why, isSecret: input?.password === true });
	}
	return `\${${variable}}`;
}

/** What may stand in the name of a variable. */
export function variablePart(text: string): string {
	return text
		.replace(/([a-z])([A-Z])/g, "$1_$2")
		.toUpperCase()
		.replace(/[^A-Z0-9]+/g, "_")
		.replace(/^_+|_+$/g, "");
}
