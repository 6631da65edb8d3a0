/** Secrets of a new MCP server: they go to .env, and its entry in config.yaml names them. */

import { loadEnvFile, saveEnvVariable } from "../../config/files.ts";
import { isSecretName } from "../../config/variable-names.ts";

/** A variable for .env. */
export interface NamedSecret {
	readonly name: string;
	readonly value: string;
}

/** Variables of .env that an entry named and that were put there for a server. */
export function secretsLeft(home: string, entry: unknown): readonly string[] {
	const { variables } = loadEnvFile(home);
	return [...new Set(variablesOf(entry))].filter((name) => variables[name] !== undefined);
}

/** Those of ours that are named somewhere in `value`. */
function variablesOf(value: unknown): readonly string[] {
	return JSON.stringify(value ?? null).match(/(?<=\$\{)MCP_\w+(?=\})/g) ?? [];
}

const scheme = /^((?:Bearer|Basic|Token|ApiKey)\s+)?(.*)$/is;

/** The server, and every other one that is configured. */
export interface SecretOwner {
	readonly server: string;
	readonly others: Readonly<Record<string, unknown>>;
}

/**
 * The entry with `${NAME}` in the place of every secret in its env and headers that is written out. No other server's entry names
 * one of these variables: `a-b` must not be sent what was given for `a_b`.
 */
export function keepSecrets(
	{ server, others }: SecretOwner,
	entry: Readonly<Record<string, unknown>>,
): { readonly entry: Record<string, unknown>; readonly secrets: readonly NamedSecret[] } {
	const secrets: NamedSecret[] = [];
	const taken = new Set(variablesOf(others));
	const nameFor = (label: string) => {
		const wanted = `MCP_${plain(server)}_${plain(label)}`;
		let name = wanted;
		for (let count = 2; taken.has(name); count++) name = `${wanted}_${count}`;
		taken.add(name);
		return name;
	};
	const kept = Object.fromEntries(
		Object.entries(entry).map(([key, value]) => {
			if ((key !== "env" && key !== "headers") || typeof value !== "object" || value === null) return [key, value];
			const named = Object.entries(value).map(([name, text]) => [
				name,
				withoutSecret({ name, text, nameFor }, secrets),
			]);
			return [key, Object.fromEntries(named)];
		}),
	);
	return { entry: kept, secrets };
}

/** The first that .env cannot hold, in words; undefined when it can hold all. To be asked before anything is written. */
export function problemOfSecrets(secrets: readonly NamedSecret[]): string | undefined {
	const broken = secrets.find(({ value }) => /[\r\n\0]/.test(value));
	return broken && `the secret for ${broken.name} has a line break in it, which .env cannot hold; name a file instead`;
}

/** Writes them, readable by their user alone. @throws {EnvVariableRefused} For a value that cannot stand in .env. */
export async function saveSecrets(home: string, secrets: readonly NamedSecret[]): Promise<void> {
	for (const secret of secrets) await saveEnvVariable(home, secret);
}

function withoutSecret(
	{ name, text, nameFor }: { readonly name: string; readonly text: unknown; nameFor(label: string): string },
	secrets: NamedSecret[],
): unknown {
	if (typeof text !== "string" || text === "" || text.includes("${") || !holdsSecret(name)) return text;
	const [, prefix = "", value = text] = scheme.exec(text) ?? [];
	const variable = nameFor(name);
	secrets.push({ name: variable, value });
	return `${prefix}\${${variable}}`;
}

/** By its name: `Authorization`, `X-Api-Key`, `GITHUB_TOKEN`. */
function holdsSecret(name: string): boolean {
	return isSecretName(plain(name)) || /^(?:proxy-)?authorization$|cookie$|(?:^|[-_])(?:key|token|secret)$/i.test(name);
}

function plain(text: string): string {
	return text.replace(/[^A-Za-z0-9]/g, "_").toUpperCase();
}
