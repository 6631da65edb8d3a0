/** Loads Daytona's SDK and makes a client of it. */

import type { Daytona } from "@daytona/sdk";
import type { Account } from "./account.ts";

/**
 * A client for `account`. Events of the service are asked for instead of followed: a socket of its own would have to be closed,
 * and keeps the process alive. The SDK looks for `.env` files of the current folder, but only where `dotenv` is installed, which it
 * does not bring along.
 */
export async function createClient(account: Account): Promise<Daytona> {
	const { Daytona } = await import("@daytona/sdk");
	return new Daytona({ ...account, useDeprecatedPolling: true });
}
