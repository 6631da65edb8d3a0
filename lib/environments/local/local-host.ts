/** What all local sandboxes of this process share: real pipes, numbers for calls, and one watchdog. */

import { loadPipes, type Pipes } from "./pipes.ts";
import { createWatchdog, type Watchdog } from "./watchdog.ts";

/** This process as a place to start others from. */
export interface LocalHost {
	/** Names this run in the environment of what it starts. */
	readonly run: string;
	readonly pipes: Pipes | undefined;
	readonly watchdog: Watchdog;
	/** A number for the next call. */
	nextCall(): string;
}

/** Opens the shared host for one user and closes it after the last. */
export interface SharedLocalHost {
	/** `path` is where the watchdog looks for its programs. */
	use(path: string): Promise<LocalHost & Disposable>;
}

/** A host that starts with its first user and is let go by its last. */
export function createSharedLocalHost(): SharedLocalHost {
	let host: LocalHost | undefined;
	let users = 0;
	return {
		async use(path) {
			users++;
			host ??= createLocalHost(await loadPipes(), path);
			const opened = host;
			return {
				...opened,
				[Symbol.dispose]() {
					users--;
					if (users > 0) return;
					opened.watchdog.close();
					host = undefined;
				},
			};
		},
	};
}

function createLocalHost(pipes: Pipes | undefined, path: string): LocalHost {
	const run = crypto.randomUUID();
	let calls = 0;
	return { run, pipes, watchdog: createWatchdog(run, path), nextCall: () => String(++calls) };
}
