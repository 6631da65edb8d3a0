/** Modal's own library, loaded and told who the user is. */

import type { ModalClient, ModalClientParams } from "modal";
import type { ModalAccount } from "./credentials.ts";
import { createLimitMs } from "./limits.ts";

/** How it is used. */
export interface ConnectOptions {
	/** One line for a person to read. */
	tell(line: string): void;
}

/** The library says this of every server on this machine, which only tests have. */
const localServerWarning = /^Using insecure TLS/;

/** Connects to nothing yet. */
export async function connectModal(account: ModalAccount, options: ConnectOptions): Promise<ModalClient> {
	const { ModalClient } = await import("modal");
	const { tokenId, tokenSecret, environment, serverUrl } = account;
	const params: ModalClientParams = {
		tokenId,
		tokenSecret,
		environment,
		maxThrottleWaitSecs: createLimitMs / 1000,
		logger: loggerFor(options),
	};
	// The library takes the address from the variables of this process and from a file of its own choice; ours may differ.
	const first = new ModalClient(params);
	if (first.profile.serverUrl === serverUrl) return first;
	first.profile.serverUrl = serverUrl;
	const calls = first.ipClient(serverUrl);
	// It asks for tokens of its own by these calls.
	Object.assign(first, { cpClient: calls });
	const client = new ModalClient({ ...params, cpClient: calls });
	client.profile.serverUrl = serverUrl;
	return client;
}

function loggerFor({ tell }: ConnectOptions) {
	const ignore = () => undefined;
	const warn = (message: string) => {
		if (!localServerWarning.test(message)) tell(`Modal: ${message}`);
	};
	return { debug: ignore, info: ignore, warn, error: warn };
}
