/** Takes keys out of `auth.json`. */

import { changeAuthFile, type StoredKey } from "../../providers/auth/auth-file.ts";
import type { Provider } from "../../providers/provider.ts";

/** How many of the provider's keys `isMeant` was true of; those are gone. */
export async function removeKeys(
	home: string,
	{ id, aliases }: Pick<Provider, "id" | "aliases">,
	isMeant: (key: StoredKey) => boolean,
): Promise<number> {
	let removed = 0;
	await changeAuthFile(home, (file) => {
		const pool = { ...file.credential_pool };
		for (const name of [id, ...aliases]) {
			const keys = Object.hasOwn(pool, name) ? (pool[name] ?? []) : [];
			const kept = keys.filter((key) => !isMeant(key));
			removed += keys.length - kept.length;
			if (kept.length > 0) pool[name] = kept;
			else delete pool[name];
		}
		return { ...file, credential_pool: pool };
	});
	return removed;
}
