/** A pool on the modal backend, for tests of what its users see when something goes wrong. */

import type { Backend } from "../../../lib/environments/backend.ts";
import modal from "../../../lib/environments/modal/index.ts";
import { type ModalSettings, settings } from "../../../lib/environments/modal/settings.ts";
import { createPool, type Pool } from "../../../lib/environments/pool/pool.ts";
import { relayedBackend } from "../../../lib/environments/relay/relayed-backend.ts";
import type { ModalServer } from "../../support/modal-server/start-server.ts";

/** What a test may choose. */
export interface ModalPoolOptions {
	/** HERMES_HOME. */
	readonly home: string;
	readonly settings?: Partial<ModalSettings>;
	readonly hasRelay?: boolean;
}

/** A pool, and every line that its user was told. */
export interface ModalPool extends AsyncDisposable {
	readonly pool: Pool;
	readonly told: readonly string[];
}

/** Opens nothing yet. */
export function openModalPool(server: ModalServer, { home, settings: chosen, hasRelay }: ModalPoolOptions): ModalPool {
	const told: string[] = [];
	const plain = modal as Backend;
	const backend = hasRelay === true ? relayedBackend(plain, (line) => told.push(line)) : plain;
	const config = settings.parse({ modal_mode: "direct", ...chosen });
	const pool = createPool({
		target: { backend, config, cwd: "~", environment: {} },
		targetFor: () => Promise.reject(new Error("no task here has a place of its own")),
		isPinned: true,
		lifetimeSeconds: 600,
		context: {
			home,
			hostEnvironment: { ...server.variables, HOME: home },
			onProgress: (line) => told.push(line),
		},
		onWarning: (line) => told.push(line),
	});
	return { pool, told, [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose]() };
}
