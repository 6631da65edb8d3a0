/** `hermes agents status`: one delegation with the reports of its children. */

import { statusOf } from "../../agent/delegate/records.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Cli } from "../subcommand.ts";
import { findRecord } from "./find-record.ts";
import { statusText } from "./shown.ts";

/** What the user asked for. */
export interface StatusRequest {
	readonly id: string;
	readonly isJson: boolean;
}

/** Prints it, and returns the exit code. @throws {CommandFailed} When there is no such delegation. */
export function showStatus(cli: Cli, { id, isJson }: StatusRequest): number {
	const { record } = findRecord(cli, id);
	const status = { ...statusOf(record, Date.now()), session_id: record.session_id };
	cli.stdout.write(isJson ? `${JSON.stringify(status, null, 2)}\n` : statusText(status));
	return exitCodes.ok;
}
