/** Keeps two hermes from going on with one session at the same time. */

import { z } from "zod";
import { attempt } from "../../base/attempt.ts";
import { isOwnerAlive, thisOwner } from "../../processes/checkpoint.ts";
import type { Store } from "../../store/store.ts";
import { CommandFailed } from "../exit-codes.ts";

const ownerShape = z.object({ pid: z.number().int(), start: z.string() });

/**
 * Claims `sessionId` for this process until it is disposed of.
 * @throws {CommandFailed} When a process that still runs has it open.
 */
export function claimSession(store: Store, sessionId: string): Disposable {
	const holder = JSON.stringify(thisOwner());
	const other = store.claimSession(sessionId, holder, (claim) => {
		const owner = ownerOf(claim);
		return owner !== undefined && isOwnerAlive(owner);
	});
	if (other !== undefined) {
		throw new CommandFailed(
			`Cannot go on with session "${sessionId}": process ${ownerOf(other)?.pid} has it open; hermes sessions branch ${sessionId} makes a copy`,
		);
	}
	return { [Symbol.dispose]: () => store.releaseSession(sessionId, holder) };
}

function ownerOf(claim: string) {
	const parsed = attempt(() => ownerShape.parse(JSON.parse(claim)));
	return parsed.ok ? parsed.value : undefined;
}
