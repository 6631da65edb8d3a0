/** Whether some hermes works in a profile at this moment. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { isInUse } from "../../store/in-use.ts";
import { CommandFailed } from "../exit-codes.ts";

/**
 * Makes sure that nobody does.
 * @throws {CommandFailed} When its sessions are open somewhere.
 */
export function refuseInUse(home: string, name: string, verb: string): void {
	const database = join(home, "state.db");
	if (!existsSync(database) || !isInUse(database)) return;
	throw new CommandFailed(`Cannot ${verb} profile "${name}": a hermes is at work in it; end it first`);
}
