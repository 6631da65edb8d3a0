/** `hermes model`: which models there are to choose from, and which one answers. */

import { z } from "zod";
import { jsonFlag } from "./common-flags.ts";
import { exitCodes, UsageError } from "./exit-codes.ts";
import { type Cli, defineAction } from "./subcommand.ts";

export default defineAction({
	summary: "Show the models, or choose the one that answers",
	details: [
		"Without MODEL it asks at a terminal, and else lists the models of the providers that have a key: each is asked what it has",
		"now, and one that does not say is listed as hermes knows it.",
		"The choice is written to model.provider and model.default of config.yaml.",
	].join("\n"),
	operands: "[MODEL]",
	completes: "models",
	flags: jsonFlag.extend({
		provider: z
			.string()
			.optional()
			.meta({ value: "P", completes: "providers", description: "The provider of MODEL, or the only one to list" }),
		offline: z.boolean().default(false).meta({ description: "Ask nobody: list what hermes knows" }),
		all: z.boolean().default(false).meta({ description: "List providers without a key as well" }),
	}),

	async run({ flags: { json, provider, all, offline }, operands: [model] }, cli) {
		if (model !== undefined && json)
			throw new UsageError("Cannot print a list and choose a model: leave out one of them");
		if (model !== undefined) return await choose(cli, { model, provider });
		const { listModels } = await import("./runtime/model-choices.ts");
		const onSilent = (message: string) => cli.stderr.write(`hermes: ${message}\n`);
		const choices = await listModels(cli, { provider, all, ...(!offline && { onSilent }) });
		if (json) {
			cli.stdout.write(`${JSON.stringify(choices, null, 2)}\n`);
			return exitCodes.ok;
		}
		if (choices.length > 0 && cli.stdinIsTerminal && cli.stdout.isTerminal) {
			const { pickModel } = await import("./runtime/pick-model.ts");
			const picked = await pickModel(choices);
			return picked === undefined ? exitCodes.interrupted : await choose(cli, picked);
		}
		const { modelTable } = await import("./runtime/model-choices.ts");
		cli.stdout.write(modelTable(choices));
		return exitCodes.ok;
	},
});

/** The provider is written first: should the second write fail, the model is asked for and nothing is sent to the wrong place. */
async function choose(
	cli: Cli,
	{ model, provider }: { readonly model: string; readonly provider: string | undefined },
): Promise<number> {
	const [{ setSetting }, { findProvider }, { openSchema }] = await Promise.all([
		import("../config/set.ts"),
		import("./runtime/find-provider.ts"),
		import("./config/open-config.ts"),
	]);
	const home = cli.environment.hermesHome;
	const schema = await openSchema(cli);
	const found = provider === undefined ? undefined : (await findProvider(cli, provider)).id;
	// Which server of this machine is meant is in the alias alone.
	const id = found === "custom" ? provider : found;
	if (id !== undefined) await setSetting({ home, path: "model.provider", written: id, schema });
	const { warnings } = await setSetting({ home, path: "model.default", written: model, schema });
	for (const warning of warnings) cli.stderr.write(`hermes: ${warning}\n`);
	cli.stdout.write(`${model}${id === undefined ? "" : ` of ${id}`} answers from now on\n`);
	return exitCodes.ok;
}
