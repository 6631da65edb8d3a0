/** `hermes auth logout`: the keys of logins go, those that were added by hand stay. */

import { z } from "zod";
import { exitCodes } from "../exit-codes.ts";
import { defineAction } from "../subcommand.ts";

/** Forgets what a login brought. The provider still knows the key: its own page takes it back. */
export const logout = defineAction({
	summary: "Forget the keys that a login brought",
	operands: "<PROVIDER>",
	completes: "providers",
	flags: z.object({}),

	async run({ operands: [name = ""] }, cli) {
		const [{ findProvider }, { removeKeys }] = await Promise.all([
			import("../runtime/find-provider.ts"),
			import("./remove-keys.ts"),
		]);
		const provider = await findProvider(cli, name);
		const removed = await removeKeys(cli.environment.hermesHome, provider, ({ source }) => source !== "manual");
		cli.stdout.write(
			removed === 0
				? `There was no login at ${provider.id}\n`
				: `Logged out of ${provider.id}; take the key back on its own page as well\n`,
		);
		return exitCodes.ok;
	},
});
