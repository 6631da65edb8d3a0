/** When a server is tried again, asked whether it is there, or left alone. */

/** Durations, in milliseconds. */
export interface Timing {
	/** The wait before a connection that failed or was lost is tried again; doubles up to the longest one. */
	readonly firstRetryMs: number;
	readonly longestRetryMs: number;
	/** A connection that lived so long was well: the next wait is the first one again. */
	readonly healthyMs: number;
	/** How long nobody asks a server that failed a few times in a row. */
	readonly pauseMs: number;
	/** How long a remote server may be silent before it is asked whether it still knows us, and how long that may take. */
	readonly keepAliveMs: number;
	readonly keepAliveLimitMs: number;
	/** The least time from one list of tools to the next: a server can say at any moment that they have changed. */
	readonly listPauseMs: number;
	/** How often it is looked whether the user has logged in at a server that wants it. */
	readonly loginLookMs: number;
}

/** What servers have in a run. */
export const usualTiming: Timing = {
	firstRetryMs: 1_000,
	longestRetryMs: 60_000,
	healthyMs: 60_000,
	pauseMs: 60_000,
	keepAliveMs: 180_000,
	keepAliveLimitMs: 30_000,
	listPauseMs: 1_000,
	loginLookMs: 2_000,
};
