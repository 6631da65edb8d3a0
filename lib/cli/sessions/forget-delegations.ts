/** What is kept of sub-agents goes with the session that they worked for. */

import { openRecords, recordFolder } from "../../agent/delegate/records.ts";
import type { Cli } from "../subcommand.ts";

/** `deleted` are the ids of sessions that are gone. A change that waits to be merged or discarded keeps its record. */
export function forgetDelegations({ environment }: Cli, deleted: readonly string[]): void {
	if (deleted.length > 0) openRecords(recordFolder(environment.hermesHome)).removeOf(new Set(deleted));
}
