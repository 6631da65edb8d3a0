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
	const named = new Set(JSON.stringify(entry ?? null).match(/(?<=\$\{)MCP_\w+(?=\})/g));
	const { variables } = loadEnvFile(home);
	return [...named].filter((name) => variables[name] !== undefined);
}

const scheme = /^((?:Bearer|Basic|Token|ApiKey)\s+)?(.*)$/is;

/** The entry with `${NAME}` in the place of every secret in its env and headers that is written out. */
export function keepSecrets(
	server: string,
	entry: Readonly<Record<string, unknown>>,
): { readonly entry: Record<string, unknown>; readonly secrets: readonly NamedSecret[] } {
	const secrets: NamedSecret[] = [];
	const kept = Object.fromEntries(
		Object.entries(entry).map(([key, value]) => {
			if ((key !== "env" && key !== "headers") || typeof value !== "object" || value === null) return [key, value];
			const named = Object.entries(value).map(([name, text]) => [name, withoutSecret({ server, name, text }, secrets)]);
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
	{ server, name, text }: { readonly server: string; readonly name: string; readonly text: unknown },
	secrets: NamedSecret[],
): unknown {
	if (typeof text !== "string" || text === "" || text.includes("${") || !holdsSecret(name)) return text;
	const [, prefix = "", value = text] = scheme.exec(text) ?? [];
	const variable = `MCP_${plain(server)}_${plain(name)}`;
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
