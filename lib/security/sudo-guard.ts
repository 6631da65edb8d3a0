/** Nobody guesses the user's password: a command that gives one to sudo by itself does not run, whatever was agreed to. */

import type { Approve } from "./approval.ts";
import { pipesSudoPassword } from "./sudo-words.ts";

const reason =
	"The command gives sudo a password by itself (sudo -S), and the user has set none: this is guessing, and it never runs. Do not try another password or another way. Write plain sudo, which asks the user when it needs to, or ask the user to set SUDO_PASSWORD";

/** `approve` behind the guard; `hasPassword` says whether the user has set one. */
export function withSudoGuard(approve: Approve, hasPassword: () => boolean): Approve {
	return async (request) => {
		const isGuess = request.kind === "command" && pipesSudoPassword(request.command) && !hasPassword();
		return isGuess ? { approved: false, reason } : approve(request);
	};
}
