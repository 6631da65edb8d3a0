/** What was typed before the terminal was ours: it has made a line feed of each Enter, which means something else in an editor. */

/** What has waited in the terminal comes at once. Nobody types so soon after a chat was drawn. */
const waitedMs = 100;

/** Passes keys on, and makes an Enter of each line feed that comes at once: it has waited in the terminal. */
export function hearTypedAhead(hear: (key: string) => void): (key: string) => void {
	let hasWaited = true;
	// On a busy machine both moments may be over before a key was read: the second timer lets it be read first.
	setTimeout(() => setTimeout(() => (hasWaited = false), 0), waitedMs);
	return (key) => hear(hasWaited && key === "\n" ? "\r" : key);
}
