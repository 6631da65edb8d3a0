/** Names for delegations and children. */

/** Eight hexadecimal digits that no other has. */
export function shortId(): string {
	return crypto.randomUUID().slice(0, 8);
}

/** The name of a child, which is that of its task too. */
export function childId(index: number): string {
	return `sa-${index}-${shortId()}`;
}

/** Whether a task is that of a child. */
export function isChildId(taskId: string): boolean {
	return /^sa-\d+-[0-9a-f]{8}$/.test(taskId);
}
