/** `hermes config edit`: config.yaml in the user's editor; a file that got broken never takes its place. */

import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { ConfigInvalid } from "../../config/config-invalid.ts";
import { changeFile, configPath, readText } from "../../config/files.ts";
import { ensureHermesHome } from "../../config/home.ts";
import { CommandFailed, exitCodes } from "../exit-codes.ts";
import { defineAction } from "../subcommand.ts";
import { runEditor } from "./run-editor.ts";

const firstText = "# Settings of hermes. `hermes config show --all` lists every key.\n";

/** The user's editor on a copy, which is taken over once it can be read. */
export const edit = defineAction({
	summary: "Open config.yaml in your editor",
	details: "Uses VISUAL, EDITOR or vi on a copy, which takes the place of the file only when it can be read.",
	flags: z.object({}),

	async run(_, cli) {
		const { hermesHome: home, variables } = cli.environment;
		const chosen = variables.VISUAL || variables.EDITOR;
		if (!chosen && !cli.stdinIsTerminal) {
			throw new CommandFailed("Cannot edit config.yaml: this is no terminal; set EDITOR, or use hermes config set");
		}
		ensureHermesHome(home);
		const path = configPath(home);
		const copy = join(home, "config.edit.yaml");
		if (existsSync(copy)) {
			throw new CommandFailed(`Cannot edit "${path}": "${copy}" of an earlier edit is there; use it or remove it`);
		}
		const before = readText(path);
		const source = before ?? firstText;
		writeFileSync(copy, source, { mode: 0o600, flag: "wx" });
		const code = await runEditor(chosen || "vi", copy);
		const edited = readText(copy) ?? source;
		if (code !== 0 || edited === source) {
			rmSync(copy, { force: true });
			if (code !== 0)
				throw new CommandFailed(`Cannot edit "${path}": the editor ended with ${code}; nothing is changed`);
			cli.stdout.write("Nothing is changed.\n");
			return exitCodes.ok;
		}
		await checkText(copy, edited, cli.environment);
		await changeFile(path, home, (now) => {
			if (now !== (before ?? "")) {
				throw new CommandFailed(`Cannot save "${path}": it was changed meanwhile; your text is in "${copy}"`);
			}
			return edited;
		});
		rmSync(copy, { force: true });
		cli.stdout.write(`Saved ${path}\n`);
		return exitCodes.ok;
	},
});

async function checkText(
	copy: string,
	edited: string,
	{
		hermesHome: home,
		variables,
	}: { readonly hermesHome: string; readonly variables: Readonly<Record<string, string>> },
): Promise<void> {
	const [{ readConfigText }, { ownSchema }] = await Promise.all([
		import("../../config/config-file.ts"),
		import("../../config/schema/table.ts"),
	]);
	try {
		const { values } = await readConfigText(copy, edited, { home, variables, schema: ownSchema });
		const problem = [...values.values()].find((value) => value.problem !== undefined)?.problem;
		if (problem !== undefined) throw new ConfigInvalid(problem);
	} catch (cause) {
		if (!(cause instanceof ConfigInvalid)) throw cause;
		throw new CommandFailed(`${cause.message}\nconfig.yaml is as it was; your text is in ${copy}`, { cause });
	}
}
