/** `hermes plugins disable`: its folder stays, nothing of it runs. */

import { z } from "zod";
import { CommandFailed, exitCodes } from "../exit-codes.ts";
import { defineAction } from "../subcommand.ts";

/** Plug-ins that stay where they are and are not loaded. */
export const disable = defineAction({
	summary: "Disable a plug-in",
	operands: "<NAME>",
	completes: "plug-ins",
	flags: z.object({}),

	async run({ operands: [name = ""] }, cli) {
		const [{ changeList }, { nearestName }] = await Promise.all([
			import("../runtime/change-list.ts"),
			import("../../base/nearest-name.ts"),
		]);
		await changeList(cli.environment.hermesHome, "plugins.enabled", (list = []) => {
			if (list.includes(name)) return list.filter((each) => each !== name);
			const near = nearestName(name, list);
			const advice = near === undefined ? "" : `; did you mean "${near}"?`;
			throw new CommandFailed(`Cannot disable plug-in "${name}": it is not enabled${advice}`);
		});
		cli.stdout.write(`Disabled ${name}\n`);
		return exitCodes.ok;
	},
});
