/** `hermes completion`: a script that teaches a shell our subcommands and flags. */

import { z } from "zod";
import { exitCodes, UsageError } from "../exit-codes.ts";
import { defineAction } from "../subcommand.ts";

export default defineAction({
	summary: "Print a completion script for bash, zsh or fish",
	details: [
		"bash:  source <(hermes completion bash)          in ~/.bashrc",
		"zsh:   source <(hermes completion zsh)           in ~/.zshrc, after compinit",
		"fish:  hermes completion fish | source           in ~/.config/fish/config.fish",
	].join("\n"),
	operands: "SHELL",
	completes: ["bash", "zsh", "fish"],
	flags: z.object({}),

	async run({ operands: [shell = ""] }, cli) {
		const [{ completablePlaces }, { bashScript, fishScript, zshScript }] = await Promise.all([
			import("./completable.ts"),
			import("./shell-scripts.ts"),
		]);
		const scripts = new Map([
			["bash", bashScript],
			["zsh", zshScript],
			["fish", fishScript],
		]);
		const write = scripts.get(shell);
		if (!write) throw new UsageError(`Cannot complete for "${shell}": there is ${[...scripts.keys()].join(", ")}`);
		cli.stdout.write(write(await completablePlaces(cli)));
		return exitCodes.ok;
	},
});
