/** What a test can make the server do, and what it can ask it. */

/** A failure of one method, a number of times. */
export interface PlannedFailure {
	/** `sandboxCreateV2`, `taskExecStart` … */
	readonly method: string;
	/** A status code of gRPC. */
	readonly code: number;
	readonly times: number;
	readonly message?: string;
	/** Asks for patience in the way of Modal. */
	readonly retryAfterSeconds?: number;
}

/** How the server behaves. */
export interface Switches {
	/** Before every answer. */
	readonly latencyMs: number;
	readonly failures: readonly PlannedFailure[];
	/** Every stream of output is cut once after this many bytes; 0 for never. */
	readonly cutStreamsAfter: number;
	/** No token is taken any more. */
	readonly isRevoked: boolean;
	/** How far the server's clock is ahead of ours. */
	readonly clockAheadSeconds: number;
	/** How long the tokens of the command router are good for. */
	readonly routerTokenSeconds: number;
	/** What the router answers for a sandbox that has ended. */
	readonly goneCode: number;
}

/** One that does as it is asked. */
export const usualSwitches: Switches = {
	latencyMs: 0,
	failures: [],
	cutStreamsAfter: 0,
	isRevoked: false,
	clockAheadSeconds: 0,
	routerTokenSeconds: 3600,
	goneCode: 5,
};

/** A sandbox as the server sees it. */
export interface SeenSandbox {
	readonly id: string;
	readonly image: string;
	readonly isAlive: boolean;
	readonly timeoutSeconds: number;
	readonly milliCpu: number;
	readonly memoryMegabytes: number;
	readonly command: readonly string[];
	readonly tags: Readonly<Record<string, string>>;
}

/** What the server has seen so far. */
export interface Seen {
	/** Calls by method. */
	readonly calls: Readonly<Record<string, number>>;
	readonly sandboxes: readonly SeenSandbox[];
	/** Images made of the files of a sandbox. */
	readonly snapshots: readonly string[];
	/** Commands of Dockerfiles that images were built with. */
	readonly built: readonly (readonly string[])[];
	/** The limit of every exec, 0 for none. */
	readonly execLimits: readonly number[];
}

/** What is posted to the server's control address. */
export type Order =
	| { readonly do: "switch"; readonly switches: Partial<Switches> }
	/** Ends all sandboxes, as if their time were over. */
	| { readonly do: "expire" }
	| { readonly do: "lose-snapshots" }
	| { readonly do: "look" };
