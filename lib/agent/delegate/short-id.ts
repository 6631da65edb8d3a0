/** Names for delegations and children. */

/** Eight hexadecimal digits that no other has. */
export function shortId(): string {
	return crypto.randomUUID().slice(0, 8);
}
