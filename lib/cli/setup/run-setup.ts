/** Runs the wizard: part after part, each saved when it is complete. */

import { ensureHermesHome } from "../../config/home.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Output } from "../output.ts";
import type { Cli } from "../subcommand.ts";
import type { SectionName } from "./section-names.ts";
import { setUpModel } from "./set-up-model.ts";
import { setUpTerminal } from "./set-up-terminal.ts";
import { setUpTools } from "./set-up-tools.ts";
import { frame, LeftSetup, say } from "./wizard.ts";

const parts: Record<SectionName, { readonly title: string; run(cli: Cli): Promise<string> }> = {
	model: { title: "Who answers", run: setUpModel },
	terminal: { title: "Where commands run", run: setUpTerminal },
	tools: { title: "What the model may use", run: setUpTools },
};

/**
 * Returns the exit code.
 * @throws {HermesHomeUnusable} Before anything is asked: no answer could be kept.
 */
export async function runSetup(given: Cli, sections: readonly SectionName[]): Promise<number> {
	const cli = { ...given, stderr: sayingOnce(given.stderr) };
	ensureHermesHome(cli.environment.hermesHome);
	await frame("intro", `hermes setup  ${cli.environment.hermesHome}`);
	const done: string[] = [];
	try {
		for (const name of sections) {
			await say("step", parts[name].title);
			const told = await parts[name].run(cli);
			await say("success", told);
			done.push(name);
		}
	} catch (error) {
		if (!(error instanceof LeftSetup)) throw error;
		await frame(
			"cancel",
			done.length === 0 ? "Nothing was changed" : `Saved: ${done.join(", ")}; the rest is as it was`,
		);
		return exitCodes.interrupted;
	}
	await frame("outro", "Ready: hermes starts a conversation, hermes status shows what is set");
	return exitCodes.ok;
}

/** The settings are read again and again here, and what is wrong with them is told each time. */
function sayingOnce(output: Output): Output {
	const said = new Set<string>();
	return {
		isTerminal: output.isTerminal,
		write(text) {
			if (!said.has(text)) output.write(text);
			said.add(text);
		},
	};
}
