/** Passwords that a command gives to sudo by itself. */

import { expect, test } from "bun:test";
import { withSudoGuard } from "../../lib/security/sudo-guard.ts";

const yes = async () => ({ approved: true }) as const;

test("withSudoGuard() refuses a guess although everything was agreed to, and nothing else", async () => {
	const approve = withSudoGuard(yes, () => false);
	const verdicts = ["echo guess | sudo -S id", "sudo id", "echo 'sudo -S id'"].map((command) => {
		return approve({ kind: "command", command });
	});
	expect((await Promise.all(verdicts)).map(({ approved }) => approved)).toEqual([false, true, true]);
});

test("withSudoGuard() lets the user's own password pass", async () => {
	const approve = withSudoGuard(yes, () => true);
	expect(await approve({ kind: "command", command: "echo x | sudo -S id" })).toEqual({ approved: true });
});
