/** `hermes auth remove`: one key goes; what the environment has is not in our hands. */

import { z } from "zod";
import { CommandFailed, exitCodes } from "../exit-codes.ts";
import { defineAction } from "../subcommand.ts";

/** Takes away a key by its label or the digest that the list shows. */
export const remove = defineAction({
	summary: "Remove a key of a provider",
	operands: "<PROVIDER> <LABEL>",
	completes: "providers",
	flags: z.object({}),

	async run({ operands: [name = "", label = ""] }, cli) {
		const [{ findProvider }, { removeKeys }] = await Promise.all([
			import("../runtime/find-provider.ts"),
			import("./remove-keys.ts"),
		]);
		const provider = await findProvider(cli, name);
		const removed = await removeKeys(
			cli.environment.hermesHome,
			provider,
			(key) => key.label === label || key.id === label,
		);
		if (removed === 0) {
			throw new CommandFailed(
				`Cannot remove the key "${label}" of ${provider.id}: auth.json has none of that name; hermes auth list shows them`,
			);
		}
		cli.stdout.write(`Removed the key "${label}" of ${provider.id}\n`);
		return exitCodes.ok;
	},
});
