/** Puts a key into `auth.json`. */

import { changeAuthFile } from "../../providers/auth/auth-file.ts";
import { fingerprint } from "../../providers/auth/provider-keys.ts";
import { CommandFailed } from "../exit-codes.ts";

/** A key that was just given. */
export interface NewKey {
	readonly secret: string;
	/** Named by its place in the list when left out. */
	readonly label?: string | undefined;
	/** `manual`, or `login`. */
	readonly source: string;
	readonly baseUrl?: string | undefined;
}

/**
 * The label under which it is kept. A key that is there already is not added again.
 * @throws {CommandFailed} When another key has that label.
 */
export async function storeKey(home: string, providerId: string, key: NewKey): Promise<string> {
	let label = key.label ?? "";
	await changeAuthFile(home, (file) => {
		const keys = file.credential_pool[providerId] ?? [];
		const known = keys.find((each) => each.access_token === key.secret);
		if (known !== undefined) {
			label = known.label;
			return file;
		}
		label ||= `key ${keys.length + 1}`;
		if (keys.some((each) => each.label === label)) {
			throw new CommandFailed(
				`Cannot add a key for ${providerId}: "${label}" is there already; give it another --label`,
			);
		}
		const added = {
			id: fingerprint(key.secret),
			label,
			auth_type: "api_key" as const,
			priority: Math.max(-1, ...keys.map(({ priority }) => priority)) + 1,
			source: key.source,
			access_token: key.secret,
			...(key.baseUrl !== undefined && { base_url: key.baseUrl }),
		};
		return { ...file, credential_pool: { ...file.credential_pool, [providerId]: [...keys, added] } };
	});
	return label;
}
