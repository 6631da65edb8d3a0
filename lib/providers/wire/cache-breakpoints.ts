/** Which messages of a request are marked for the provider's cache: the prompt is read from the longest marked beginning it knows. */

/** What is known of a message of the wire, in order. */
export interface Markable {
	/** Whether a mark can stand on it at all; an empty one has no place for it. */
	readonly markable: boolean;
	/** Whether the user speaks in it. */
	readonly user: boolean;
}

/** Anthropic takes four marks; one is for the system prompt. */
const longest = 3;

/** Indices of the messages to mark, oldest first: the newest, and always the end of the turn before this one. */
export function breakpoints(messages: readonly Markable[]): number[] {
	const places = messages.flatMap(({ markable }, index) => (markable ? [index] : []));
	const newestUser = messages.findLastIndex(({ user }) => user);
	const endOfTurn = places.findLast((index) => index < newestUser);
	const newest = places.slice(-longest);
	if (endOfTurn === undefined || newest.includes(endOfTurn)) return newest;
	return [endOfTurn, ...newest.slice(1 - longest)];
}
