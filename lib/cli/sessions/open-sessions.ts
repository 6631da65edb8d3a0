/** The store of sessions, for command lines that are about it. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "../../store/database.ts";
import type { Store } from "../../store/store.ts";
import { CommandFailed } from "../exit-codes.ts";
import type { Cli } from "../subcommand.ts";

/** The database of this HERMES_HOME. */
export function storePath(cli: Cli): string {
	return join(cli.environment.hermesHome, "state.db");
}

/**
 * Opens it; undefined when there are no sessions at all, so that looking for some makes no files.
 * @throws {StoreRefused} When it cannot be used.
 */
export function openSessionsIfAny(cli: Cli): Store | undefined {
	return existsSync(storePath(cli)) ? openStore(storePath(cli)) : undefined;
}

/**
 * The same for what makes no sense without sessions.
 * @throws {CommandFailed} When there are none.
 * @throws {StoreRefused} When it cannot be used.
 */
export function openSessions(cli: Cli): Store {
	const store = openSessionsIfAny(cli);
	if (store === undefined) throw new CommandFailed(`Cannot read sessions: "${storePath(cli)}" has none yet`);
	return store;
}
