/** Secrets of an entry go to .env: config.yaml is a file that people show each other. */

import { hasSecretWord } from "../../../security/environment-names.ts";
import { tokenShapes } from "../../../security/secret-shapes.ts";
import { variablePart } from "./translate.ts";

/** An entry of `mcp_servers`. */
export type Entry = Readonly<Record<string, unknown>> & {
	readonly args?: readonly string[];
	readonly env?: Readonly<Record<string, string>>;
	readonly headers?: Readonly<Record<string, string>>;
	readonly url?: string;
};

/** Takes a secret and gives the reference to put in its place. */
export type Keep = (secret: string, label: string) => string;

/** `entry` with references in the places of its secrets. */
export function withoutSecrets(entry: Entry, keep: Keep): Entry {
	const { args, env, headers, url } = entry;
	return {
		...entry,
		...(args && { args: argsWithout(args, keep) }),
		...(env && { env: mapped(env, (value, name) => (isSecret(name, value) ? keep(value, name) : value)) }),
		...(headers && { headers: mapped(headers, (value, name) => headerWithout(value, name, keep)) }),
		...(url !== undefined && { url: urlWithout(url, keep) }),
	};
}

function mapped(record: Readonly<Record<string, string>>, change: (value: string, name: string) => string) {
	return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value, name)]));
}

/** By its name, or because it looks like one; what is a reference already is none. */
function isSecret(name: string, value: string): boolean {
	if (value === "" || value.includes("${")) return false;
	return hasSecretWord(variablePart(name)) || looksSecret(value);
}

function looksSecret(value: string): boolean {
	return tokenShapes.some(({ pattern }) => new RegExp(pattern.source).test(value));
}

/** The scheme stays where it can be read. */
function headerWithout(value: string, name: string, keep: Keep): string {
	const { scheme = "", rest = "" } = /^(?<scheme>(?:Bearer|Basic|Token)\s+)?(?<rest>.*)$/is.exec(value)?.groups ?? {};
	const isNamed = name.toLowerCase() === "authorization" || isSecret(name, rest);
	return rest !== "" && !rest.includes("${") && (isNamed || looksSecret(rest)) ? `${scheme}${keep(rest, name)}` : value;
}

/** `--api-key=X`, `--api-key X`, and what looks like a token wherever it stands. */
function argsWithout(args: readonly string[], keep: Keep): readonly string[] {
	return args.map((arg, at) => {
		const { flag, value } = /^(?<flag>--?[\w-]+)=(?<value>.*)$/s.exec(arg)?.groups ?? {};
		if (flag !== undefined && value !== undefined && isSecret(flag, value)) return `${flag}=${keep(value, flag)}`;
		const before = args[at - 1] ?? "";
		const isValue = /^--[\w-]+$/.test(before) && !arg.startsWith("-") && isSecret(before, arg);
		if (isValue || (!arg.includes("${") && looksSecret(arg))) return keep(arg, isValue ? before : `ARG_${at + 1}`);
		return arg;
	});
}

/** Not through `URL`, which would write the braces of references differently. */
function urlWithout(url: string, keep: Keep): string {
	return url.replace(/(?<=[?&])([\w.-]+)=([^&#]+)/g, (written, name: string, value: string) =>
		isSecret(name, decodeURIComponent(value)) ? `${name}=${keep(value, name)}` : written,
	);
}
