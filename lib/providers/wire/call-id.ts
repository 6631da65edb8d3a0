/** Ids for calls that came without one. */

/** The same for the same parts: a random id would change the beginning of the next request, which caches go by. */
export function callId(parts: readonly (string | number)[]): string {
	const digest = new Bun.CryptoHasher("sha256").update(JSON.stringify(parts)).digest("hex");
	return `call_${digest.slice(0, 24)}`;
}
