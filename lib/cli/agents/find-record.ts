/** One delegation by the name that a user gives. */

import { type DelegationRecord, openRecords, type Records, recordFolder } from "../../agent/delegate/records.ts";
import { CommandFailed } from "../exit-codes.ts";
import type { Cli } from "../subcommand.ts";

/** The delegation whose id is, or begins with, `name`. @throws {CommandFailed} When there is none, or more than one. */
export function findRecord(cli: Cli, name: string): { readonly records: Records; readonly record: DelegationRecord } {
	const records = openRecords(recordFolder(cli.environment.hermesHome));
	const found = records.list().filter(({ id }) => id.startsWith(name) || id.startsWith(`deleg_${name}`));
	const [record] = found;
	if (record === undefined || name === "") {
		throw new CommandFailed(`Cannot find delegation "${name}": there is none; hermes agents --all lists them`);
	}
	if (found.length > 1) {
		const ids = found.map(({ id }) => id).join(" and ");
		throw new CommandFailed(`Cannot find delegation "${name}": ${ids} begin so; write more of the id`);
	}
	return { records, record };
}
