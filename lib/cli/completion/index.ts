/** `hermes completion`: a script that teaches a shell our subcommands and flags. */

import { z } from "zod";
import { exitCodes, UsageError } from "../exit-codes.ts";
import { defineAction, usersWords } from "../subcommand.ts";

export default defineAction({
	summary: "Print a completion script for bash, zsh or fish",
	details: [
		"bash:  source <(hermes completion bash)          in ~/.bashrc",
		"zsh:   source <(hermes completion zsh)           in ~/.zshrc, after compinit",
		"fish:  hermes completion fish | source           in ~/.config/fish/config.fish",
	].join("\n"),
	operands: "[SHELL]",
	completes: ["bash", "zsh", "fish"],
	flags: z.object({
		words: z
			.enum(usersWords)
			.optional()
			.meta({ value: "KIND", description: "Print the words of a kind, one a line: what the scripts ask for" }),
	}),

	async run({ flags: { words }, operands: [shell] }, cli) {
		if (words !== undefined) {
			const { wordsNow } = await import("./users-words.ts");
			cli.stdout.write((await wordsNow(cli, words)).map((word) => `${word}\n`).join(""));
			return exitCodes.ok;
		}
		if (shell === undefined) throw new UsageError("Cannot complete: name the shell, bash, zsh or fish");
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
