/** A relay on this machine, for one test. */

import type { Sandbox } from "../../../lib/environments/backend.ts";
import { type RelayOptions, withRelay } from "../../../lib/environments/relay/relay-sandbox.ts";
import { openLocal, plainEnvironment } from "../../support/local-sandbox.ts";

/** A local sandbox with a relay in it. @throws {Error} When no relay runs there. */
export function openLocalRelay(options: Partial<RelayOptions> = {}): Promise<Sandbox> {
	return openLocalRelayIn(openLocal(), options);
}

/** `sandbox` with a relay in it. @throws {Error} When no relay runs there. */
export async function openLocalRelayIn(
	sandbox: Sandbox | Promise<Sandbox>,
	options: Partial<RelayOptions> = {},
): Promise<Sandbox> {
	return withRelay(await sandbox, {
		signal: new AbortController().signal,
		path: plainEnvironment.PATH,
		onFallback(line) {
			throw new Error(line);
		},
		...options,
	});
}
