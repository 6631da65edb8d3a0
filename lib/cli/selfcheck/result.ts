/** What a selfcheck finds out, in the shape that `--json` prints. */

import type { CaseResult } from "../../environments/conformance/run-conformance.ts";

/** One check. `detail` says what was seen, or why it could not be checked here; empty when it passed. */
export interface Check {
	readonly name: string;
	readonly status: "passed" | "failed" | "unsupported";
	readonly detail: string;
}

/** Milliseconds, the median of several runs; 0 when it could not be measured. */
export interface Latency {
	/** A command that does nothing. */
	readonly execute_true: number;
	/** A command that writes a megabyte. */
	readonly output_1mb: number;
	/** A new session, its login shell included. */
	readonly open_session: number;
}

/** Everything. */
export interface Selfcheck {
	readonly backend: string;
	/** Empty when nothing could be opened. */
	readonly ran_on: string;
	readonly checks: readonly Check[];
	/** Over what the calls of scripts come: `unix`, `tcp`, `relay` or `files`; empty when none came. */
	readonly script_transport: string;
	readonly latency_ms: Latency;
}

const statuses = { kept: "passed", broken: "failed", skipped: "unsupported" } as const;

/** What became of a case, as a check. */
export function checkOf({ name, ended, reason = "" }: CaseResult): Check {
	return { name, status: statuses[ended], detail: reason };
}
