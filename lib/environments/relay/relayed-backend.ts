/** A backend whose sandboxes have a relay in them. */

import type { Backend } from "../backend.ts";
import { withRelay } from "./relay-sandbox.ts";

/**
 * `backend` with a relay in every sandbox it opens, where one can run; `onFallback` gets one line where none can, or when it is
 * lost. A backend that starts processes on this machine is left as it is: nothing is faster.
 */
export function relayedBackend(backend: Backend, onFallback: (line: string) => void): Backend {
	if (backend.files === "host") return backend;
	return {
		...backend,
		async open(config, context) {
			const sandbox = await backend.open(config, context);
			if (sandbox.isSlowForHelpers) return sandbox;
			try {
				return await withRelay(sandbox, { signal: context.signal, onFallback });
			} catch (cause) {
				await sandbox[Symbol.asyncDispose]();
				throw cause;
			}
		},
	};
}
