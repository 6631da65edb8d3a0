/** What the far side can be told to do wrong. */

/** Switches; a test may turn them while the gateway runs. */
export interface Faults {
	/** Milliseconds before every answer. */
	latencyMs: number;
	/** Answers that are taken from the list, one for each request whose `METHOD /path` matches. */
	readonly queue: QueuedFault[];
	/** Bytes of an answer after which the connection is dropped; 0 never does. */
	dropAfterBytes: number;
	/** Characters of output that are kept of an exec; 0 keeps all. */
	keepOutput: number;
	/** Nothing made of a snapshot works. */
	failsRestore: boolean;
	/** Tokens that are accepted. */
	readonly tokens: Set<string>;
	/** A second sandbox of the same key is the first one. */
	sharesByKey: boolean;
	/** A start is answered when the exec has ended, not before. */
	answersAtEnd: boolean;
	/** What the token's owner may use. */
	isEntitled: boolean;
}

/** One request gone wrong. */
export interface QueuedFault {
	readonly matches: RegExp;
	/** `drop` cuts the connection before the request is looked at, `dropAnswer` when it was carried out. */
	readonly does:
		| "drop"
		| "dropAnswer"
		| { readonly status: number; readonly headers?: Record<string, string>; readonly body?: unknown };
}

/** A far side that works. */
export function noFaults(token: string): Faults {
	return {
		latencyMs: 0,
		queue: [],
		dropAfterBytes: 0,
		keepOutput: 0,
		failsRestore: false,
		tokens: new Set([token]),
		sharesByKey: false,
		answersAtEnd: false,
		isEntitled: true,
	};
}
