/** `hermes config set`: one setting into config.yaml, or a secret into .env. */

import { z } from "zod";
import { CommandFailed, exitCodes } from "../exit-codes.ts";
import { defineAction } from "../subcommand.ts";

/** One setting, into the file where it belongs. */
export const set = defineAction({
	summary: "Change one setting",
	details: [
		"VALUE is true, false, a number, a text, or JSON for lists and maps; - reads it from standard input, so that a secret",
		"stays out of the shell's history. Comments in the file are kept. Secrets go to .env, and so does any NAME in capitals.",
	].join("\n"),
	operands: "KEY VALUE",
	completes: "settings",
	flags: z.object({
		force: z.boolean().default(false).meta({ description: "Set a key that hermes does not know" }),
	}),

	async run({ flags: { force }, operands: [path = "", typed = ""] }, cli) {
		const [{ openSchema }, { setSetting }, { EnvVariableRefused }] = await Promise.all([
			import("./open-config.ts"),
			import("../../config/set.ts"),
			import("../../config/env-file.ts"),
		]);
		const written = typed === "-" ? (await cli.readStdin()).replace(/\r?\n$/, "") : typed;
		const home = cli.environment.hermesHome;
		try {
			const { changed, warnings } = await setSetting({ home, path, written, schema: await openSchema(cli), force });
			for (const warning of warnings) cli.stderr.write(`hermes: ${warning}\n`);
			cli.stdout.write(changed.map(({ file, name }) => `${name} is set in ${file}\n`).join(""));
			return exitCodes.ok;
		} catch (cause) {
			if (cause instanceof EnvVariableRefused) throw new CommandFailed(cause.message, { cause });
			throw cause;
		}
	},
});
