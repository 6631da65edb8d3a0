/** A running sandbox of Daytona's, as far as starting processes in it goes. */

import type { Sandbox } from "@daytona/sdk";

/** Where processes are started. */
export interface ExecPlace {
	/** As the user knows it, for messages. */
	readonly name: string;
	readonly process: Pick<Sandbox["process"], "createPty" | "connectPty" | "killPtySession" | "getPtySessionInfo">;
	/** Names this run in the environment of what it starts. */
	readonly run: string;
	/** Variables that a login there gives to every process. */
	readonly inherited: readonly string[];
	/** A folder there for the files of running processes. */
	readonly parent: string;
	/** One for each terminal that is in use; settles when its script has tidied up and ended. */
	readonly terminals: Set<Promise<void>>;
	/**
	 * Asks the service why the sandbox runs nothing. Undefined when it runs, or when the service does not answer just now.
	 */
	whyDown(): Promise<Error | undefined>;
}

/** Nothing was started, so it is safe to begin anew. */
export class NotStarted extends Error {
	override readonly name = "NotStarted";
}
