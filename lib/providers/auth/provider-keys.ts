/** Which keys a provider has: those of the environment and those of `auth.json`, without what only stands in for one. */

import type { Provider } from "../provider.ts";
import { readAuthFile } from "./auth-file.ts";

/** One key that may be used. */
export interface ProviderKey {
	/** The same for the same key: a digest, which says nothing about it. */
	readonly fingerprint: string;
	/** Never logged, never shown. */
	readonly secret: string;
	/** Where it is: a variable, or the label of a stored one. */
	readonly source: string;
	/** Id in `auth.json`; undefined for a variable. */
	readonly id?: string;
	/** Address that belongs to this key alone. */
	readonly baseUrl?: string;
}

/** Where keys are looked for. */
export interface KeyPlaces {
	/** The environment with `.env` laid over it. */
	readonly variables: Readonly<Record<string, string>>;
	/** HERMES_HOME. */
	readonly home: string;
}

/**
 * In the order of their use: variables first, the most specific of them before the others, then stored ones by priority. A key
 * that is there twice counts once.
 * @throws {AuthFileBroken}
 */
export function keysOf(
	provider: Pick<Provider, "id" | "keyNames" | "aliases" | "keyAddresses">,
	places: KeyPlaces,
): ProviderKey[] {
	const stored = storedKeys(provider, places.home);
	const given = provider.keyNames.flatMap((name): ProviderKey[] => {
		const secret = places.variables[name]?.trim();
		if (secret === undefined || isPlaceholder(secret)) return [];
		const baseUrl = provider.keyAddresses?.[name];
		return [{ fingerprint: fingerprint(secret), secret, source: name, ...(baseUrl !== undefined && { baseUrl }) }];
	});
	const seen = new Set<string>();
	return [...given, ...stored].filter((key) => !seen.has(key.fingerprint) && seen.add(key.fingerprint));
}

/** Whether a text stands where a key should be, as templates of configuration have it. */
export function isPlaceholder(text: string): boolean {
	return (
		text.length < 4 ||
		/^(?:\*+|x{3,}|\.{3,}|none|null|undefined|changeme|change-me|placeholder|dummy|<.*>|your[-_ ].*|.*your[-_]?api[-_]?key.*)$/i.test(
			text,
		)
	);
}

/** Twelve digits of a digest: enough to tell keys apart, and no part of any of them. */
export function fingerprint(secret: string): string {
	return new Bun.CryptoHasher("sha256").update(secret).digest("hex").slice(0, 12);
}

function storedKeys({ id, aliases }: Pick<Provider, "id" | "aliases">, home: string): ProviderKey[] {
	const { credential_pool: pool } = readAuthFile(home);
	return [id, ...aliases]
		.flatMap((name) => (Object.hasOwn(pool, name) ? (pool[name] ?? []) : []))
		.toSorted((one, other) => one.priority - other.priority)
		.map(({ id: keyId, label, access_token: secret, base_url: baseUrl }) => ({
			fingerprint: fingerprint(secret),
			secret,
			source: `auth.json "${label}"`,
			id: keyId,
			...(baseUrl != null && baseUrl !== "" && { baseUrl }),
		}));
}
