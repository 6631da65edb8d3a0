/** `hermes auth login`: a key through the browser, where the provider lets any program ask for one. */

import { z } from "zod";
import { CommandFailed, exitCodes } from "../exit-codes.ts";
import { defineAction } from "../subcommand.ts";

/** Gets a key and keeps it. */
export const login = defineAction({
	summary: "Get a key of a provider through the browser",
	details:
		"Only where the provider documents a login for every program (openrouter). Others need a key: hermes auth add.",
	operands: "<PROVIDER>",
	completes: "providers",
	flags: z.object({}),

	async run({ operands: [name = ""] }, cli) {
		const [{ findProvider }, { storeKey }, { networkOf }, { openSettings }] = await Promise.all([
			import("../runtime/find-provider.ts"),
			import("./store-key.ts"),
			import("../../providers/network.ts"),
			import("../runtime/settings.ts"),
		]);
		const provider = await findProvider(cli, name);
		if (provider.login === undefined) {
			throw new CommandFailed(
				`Cannot log in at ${provider.id}: it has no login for programs like this one; make a key there and run hermes auth add ${provider.id}`,
			);
		}
		const { variables } = await openSettings(cli, {});
		const secret = await provider.login({
			signal: cli.interruption.signal,
			network: networkOf(variables),
			show: (url) => cli.stderr.write(`Open this page in a browser of this machine:\n${url}\n`),
		});
		const label = await storeKey(cli.environment.hermesHome, provider.id, { secret, source: "login" });
		cli.stdout.write(`${provider.id} has the key "${label}"\n`);
		return exitCodes.ok;
	},
});
