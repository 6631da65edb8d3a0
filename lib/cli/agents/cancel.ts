/** `hermes agents cancel`: stops a delegation, whichever hermes runs it. */

import type { DelegationRecord, Records } from "../../agent/delegate/records.ts";
import { CommandFailed, exitCodes } from "../exit-codes.ts";
import type { Cli } from "../subcommand.ts";
import { findRecord } from "./find-record.ts";
import type { StatusRequest } from "./status.ts";

/** A hermes that works looks at the request at once. */
const waitMs = 10_000;

/** Asks the process that runs it, and waits until it has stopped. @throws {CommandFailed} When it does not run, or goes on. */
export async function cancelDelegation(cli: Cli, { id, isJson }: StatusRequest): Promise<number> {
	const { records, record } = findRecord(cli, id);
	if (record.status !== "running") {
		throw new CommandFailed(`Cannot cancel ${record.id}: it does not run any more (${record.status})`);
	}
	const stopped = untilStopped(
		records,
		record.id,
		AbortSignal.any([cli.interruption.signal, AbortSignal.timeout(waitMs)]),
	);
	records.askToCancel(record.id);
	const now = await stopped;
	if (now === undefined) {
		throw new CommandFailed(`Cannot cancel ${record.id}: hermes (process ${record.owner.pid}) does not react`);
	}
	cli.stdout.write(isJson ? `${JSON.stringify({ id: now.id, status: now.status })}\n` : `${now.id} ${now.status}\n`);
	return exitCodes.ok;
}

async function untilStopped(records: Records, id: string, signal: AbortSignal): Promise<DelegationRecord | undefined> {
	const { promise, resolve } = Promise.withResolvers<DelegationRecord | undefined>();
	const look = () => {
		const now = records.get(id);
		if (now !== undefined && now.status !== "running") resolve(now);
	};
	using _watching = records.watch(look);
	signal.addEventListener("abort", () => resolve(undefined), { once: true });
	return await promise;
}
