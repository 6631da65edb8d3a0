/** `hermes auth add`: a key that is typed or piped in, and so never in the history of a shell. */

import { z } from "zod";
import { CommandFailed, exitCodes } from "../exit-codes.ts";
import { defineAction } from "../subcommand.ts";

/** One more key of a provider. */
export const add = defineAction({
	summary: "Add a key of a provider",
	details:
		"The key is asked for, or read from standard input. Several keys of one provider take turns (credential_pool_strategies).",
	operands: "<PROVIDER>",
	completes: "providers",
	flags: z.object({
		label: z.string().optional().meta({ value: "TEXT", description: "A name to tell it from others" }),
		url: z.string().optional().meta({ value: "U", description: "The address that this key belongs to" }),
	}),

	async run({ flags: { label, url }, operands: [name = ""] }, cli) {
		const [{ findProvider }, { storeKey }, { isPlaceholder, fingerprint }, { checkedKey, checkedUrl }] =
			await Promise.all([
				import("../runtime/find-provider.ts"),
				import("./store-key.ts"),
				import("../../providers/auth/provider-keys.ts"),
				import("../../providers/checked-settings.ts"),
			]);
		const provider = await findProvider(cli, name);
		if (provider.keyNames.length === 0) throw new CommandFailed(`Cannot add a key for ${provider.id}: it needs none`);
		const typed = (await readKey(`Key of ${provider.id}: `)).trim();
		if (isPlaceholder(typed)) throw new CommandFailed(`Cannot add a key for ${provider.id}: none was given`);
		const baseUrl = url === undefined ? undefined : checkedUrl(url, "the key");
		const secret = checkedKey(typed, "what was given");
		const kept = await storeKey(cli.environment.hermesHome, provider.id, { secret, label, source: "manual", baseUrl });
		cli.stdout.write(`${provider.id} has the key "${kept}" (${fingerprint(secret)})\n`);
		return exitCodes.ok;

		async function readKey(prompt: string): Promise<string> {
			if (!cli.stdinIsTerminal) return await cli.readStdin();
			const { askSecret } = await import("../runtime/ask-secret.ts");
			return (await askSecret(prompt, cli.interruption.signal)) ?? "";
		}
	},
});
