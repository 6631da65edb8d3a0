/** Sudo in what runs while the user does something else. */

import { attemptAsync } from "../../../base/attempt.ts";
import type { Shell } from "../shell.ts";
import { openSudo } from "./open-sudo.ts";

/** A command that can be run; `close` it when it has ended. Never rejects. */
export interface KnownSudo {
	readonly command: string;
	close(): Promise<void>;
}

/**
 * As `openSudo`, with a password that is at hand already: a question in the middle of something else would be answered by mistake.
 * @throws {BackendUnavailable} When the sandbox is broken.
 */
export async function openKnownSudo(shell: Shell, command: string, signal: AbortSignal): Promise<KnownSudo> {
	if (shell.sudo?.knows(shell.ranOn) !== true) return { command, close: async () => undefined };
	const sudo = await openSudo(shell, command, signal);
	// A sandbox that is gone has taken the helper with it.
	return {
		command: sudo.command,
		close: async () => void (await attemptAsync(async () => sudo[Symbol.asyncDispose]())),
	};
}
