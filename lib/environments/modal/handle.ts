/** The way to one sandbox: the library's handle of it, and another one when Modal refuses the first. */

import type { Sandbox } from "modal";
import { isRefused } from "./failures.ts";

/** A handle that can be replaced. */
export interface Handle {
	/** The newest one. */
	readonly sandbox: Sandbox;
	/** What `use` gives; what is refused was not done, and is tried once more with a new handle. */
	withHandle<T>(use: (sandbox: Sandbox) => Promise<T>): Promise<T>;
}

/** `reattach` makes another handle, by a connection that remembers no token of the one before. */
export function createHandle(first: Sandbox, reattach: (sandboxId: string) => Promise<Sandbox>): Handle {
	let sandbox = first;
	return {
		get sandbox() {
			return sandbox;
		},
		async withHandle(use) {
			const used = sandbox;
			try {
				return await use(used);
			} catch (cause) {
				if (!isRefused(cause)) throw cause;
			}
			// Several calls may be refused at the same moment.
			if (sandbox === used) sandbox = await reattach(first.sandboxId);
			return use(sandbox);
		},
	};
}
