/** A backend whose sandboxes are real local processes and can be told to break, for tests of what is above backends. */

import { z } from "zod";
import { type Backend, BackendUnavailable, defineBackend, type OpenContext } from "../../lib/environments/backend.ts";
import { openLocal } from "./local-sandbox.ts";

/** What a test sees of its backend, and does to it. */
export interface BreakableBackend {
	readonly backend: Backend;
	/** One line per event, in order: `open default`, `close default`. */
	readonly events: readonly string[];
	/** The reason why nothing can be opened or started from now on; undefined mends it. */
	breakdown: string | undefined;
	/** How long opening takes. */
	openingMs: number;
}

/** Each sandbox has a name of its own (`name:1`), or with `isOneHost` all have the same (`name`). */
export function breakableBackend(name: string, { isOneHost = false } = {}): BreakableBackend {
	const events: string[] = [];
	let opened = 0;
	const control = { events, breakdown: undefined as string | undefined, openingMs: 0 };
	const refuse = () => {
		if (control.breakdown !== undefined) throw new BackendUnavailable(`Cannot reach ${name}: ${control.breakdown}`);
	};
	const open = async (_config: unknown, { taskId, signal }: OpenContext) => {
		events.push(`open ${taskId}`);
		await Bun.sleep(control.openingMs);
		if (signal.aborted) events.push(`give up ${taskId}`);
		signal.throwIfAborted();
		refuse();
		const sandbox = await openLocal();
		const ranOn = isOneHost ? name : `${name}:${++opened}`;
		return {
			ranOn,
			start: async (...args: Parameters<typeof sandbox.start>) => {
				refuse();
				return await sandbox.start(...args);
			},
			async [Symbol.asyncDispose]() {
				events.push(`close ${taskId}`);
				await sandbox[Symbol.asyncDispose]();
			},
		};
	};
	const backend = defineBackend({
		name,
		description: "Local processes that can be told to break",
		config: z.strictObject({ [`${name}_image`]: z.string().default("plain") }),
		files: "host",
		pty: false,
		available: async () => (control.breakdown === undefined ? true : `it is broken: ${control.breakdown}`),
		open,
	});
	return Object.assign(control, { backend: backend as Backend });
}
