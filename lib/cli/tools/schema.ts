/** `hermes tools schema`: one tool as a model sees it. */

import { z } from "zod";
import { CommandFailed, exitCodes } from "../exit-codes.ts";
import { defineAction } from "../subcommand.ts";

/** What a model is told of one tool. */
export const schema = defineAction({
	summary: "Print a tool's name, description and JSON Schema",
	operands: "<NAME>",
	completes: "tools",
	flags: z.object({}),

	async run({ operands: [name = ""] }, cli) {
		const [{ openToolbox }, { openSettings }, { toolNamed }, { describeTool }] = await Promise.all([
			import("../runtime/open-tools.ts"),
			import("../runtime/settings.ts"),
			import("../runtime/select-tools.ts"),
			import("../../registry/definitions.ts"),
		]);
		await using toolbox = await openToolbox(cli, await openSettings(cli, {}));
		const described = describeTool(toolbox.registry, toolNamed(toolbox.registry, name));
		if (!described.ok) throw new CommandFailed(`Cannot show tool "${name}": ${described.reason}`);
		cli.stdout.write(`${JSON.stringify(described.value, null, 2)}\n`);
		return exitCodes.ok;
	},
});
