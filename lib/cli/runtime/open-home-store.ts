/** The store of sessions of this HERMES_HOME, for a conversation that is kept. */

import { join } from "node:path";
import { ensureHermesHome } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { openStore } from "../../store/database.ts";
import type { Store } from "../../store/store.ts";
import type { Cli } from "../subcommand.ts";

/**
 * Opens it, makes it when there is none, and takes old sessions away where the settings want that.
 * @throws {HermesHomeUnusable | StoreRefused} When it cannot be used.
 */
export function openHomeStore(cli: Cli, config: LoadedConfig, onWarning: (message: string) => void): Store {
	ensureHermesHome(cli.environment.hermesHome);
	const store = openStore(join(cli.environment.hermesHome, "state.db"), { onWarning });
	if (config.get("sessions.auto_prune")) store.maintain({ days: config.get("sessions.retention_days") });
	return store;
}
