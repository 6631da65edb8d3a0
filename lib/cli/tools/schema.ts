/** `hermes tools schema`: one tool as a model sees it. */

import { z } from "zod";
import { exitCodes } from "../exit-codes.ts";
import { defineAction } from "../subcommand.ts";

export const schema = defineAction({
	summary: "Print a tool's name, description and JSON Schema",
	operands: "<NAME>",
	flags: z.object({}),

	async run({ operands: [name = ""] }, cli) {
		const [{ openRegistry }, { toolNamed }] = await Promise.all([
			import("../runtime/open-tools.ts"),
			import("../runtime/select-tools.ts"),
		]);
		const registry = await openRegistry(cli);
		const tool = toolNamed(registry, name);
		const definition = { name: tool.name, description: tool.description, parameters: registry.parameters(tool) };
		cli.stdout.write(`${JSON.stringify(definition, null, 2)}\n`);
		return exitCodes.ok;
	},
});
