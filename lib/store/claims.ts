/** Who has a session open: two programs that go on with one session would each take the other's open calls for lost ones. */

import type { ClaimStore, LineageStore } from "./store.ts";
import type { Connection } from "./write.ts";

/** The part of the store that is about open sessions. Claims are rows of `state_meta`, and only as good as their holder is alive. */
export function createClaims(
	{ database, write }: Connection,
	{ chainOf, kindOf }: Pick<LineageStore, "chainOf" | "kindOf">,
): ClaimStore {
	/** A compression goes on under another id; a branch is a session of its own. */
	const keyOf = (sessionId: string) => {
		const first = chainOf(sessionId).findLast((id) => kindOf(id) !== "continuation");
		return `open:${first ?? sessionId}`;
	};
	const holderOf = (key: string) =>
		database.query<{ value: string }, { key: string }>("SELECT value FROM state_meta WHERE key = $key").get({ key })
			?.value;
	return {
		claimSession(sessionId, holder, isAlive) {
			const key = keyOf(sessionId);
			return write(() => {
				const other = holderOf(key);
				if (other !== undefined && other !== holder && isAlive(other)) return other;
				database.query("INSERT OR REPLACE INTO state_meta (key, value) VALUES ($key, $holder)").run({ key, holder });
				return undefined;
			});
		},
		releaseSession(sessionId, holder) {
			const key = keyOf(sessionId);
			write(() => database.query("DELETE FROM state_meta WHERE key = $key AND value = $holder").run({ key, holder }));
		},
	};
}
