/** `hermes config get`: one setting, or all below one section; of a variable, whether it is set. */

import { isVariableName } from "../../config/variable-names.ts";
import { jsonFlag } from "../common-flags.ts";
import { CommandFailed, exitCodes } from "../exit-codes.ts";
import { type Cli, defineAction } from "../subcommand.ts";
import { originFlag } from "./show.ts";
import type { ShownSetting } from "./shown-settings.ts";

interface Wish {
	readonly key: string;
	readonly json: boolean;
	readonly origin: boolean;
}

/** One setting, a section, or whether a variable is set. */
export const get = defineAction({
	summary: "Print one setting",
	details: [
		"KEY is a path such as agent.max_turns, or a section. Secrets are masked. Of a variable such as OPENAI_API_KEY it is",
		"said whether it is set, never its value.",
	].join("\n"),
	operands: "KEY",
	completes: "settings",
	flags: jsonFlag.extend({ origin: originFlag }),

	run({ flags, operands: [key = ""] }, cli) {
		const isVariable = isVariableName(key) && key !== key.toLowerCase();
		return isVariable ? showVariable({ ...flags, key }, cli) : showSetting({ ...flags, key }, cli);
	},
});

async function showVariable({ key, json }: Wish, cli: Cli): Promise<number> {
	const { envPath, loadEnvFile } = await import("../../config/files.ts");
	const { hermesHome, variables } = cli.environment;
	const file = envPath(hermesHome);
	const has = (named: Readonly<Record<string, string>>) => (named[key] ?? "").trim() !== "";
	const isInFile = has(loadEnvFile(hermesHome).variables);
	const isSet = isInFile || has(variables);
	if (json) {
		const origin = isInFile ? ".env" : "environment";
		cli.stdout.write(`${JSON.stringify({ key, set: isSet, ...(isSet && { origin }) })}\n`);
	} else {
		const where = isInFile ? file : "the environment";
		cli.stdout.write(`${key} is ${isSet ? `set in ${where}` : `not set in ${file} or the environment`}\n`);
	}
	return isSet ? exitCodes.ok : exitCodes.failure;
}

async function showSetting({ key, json, origin }: Wish, cli: Cli): Promise<number> {
	const [{ openConfig, refuseUnknown }, { allPaths, shownSettings }, { table }] = await Promise.all([
		import("./open-config.ts"),
		import("./shown-settings.ts"),
		import("./settings-table.ts"),
	]);
	const config = await openConfig(cli);
	const path = key === "model" ? "model.default" : (config.schema.find(key)?.path ?? key);
	const below = [...allPaths(config)].filter((known) => known.startsWith(`${key}.`));
	const [row] = shownSettings(config, [path], { withUnknown: below.length === 0 });
	if (row) return await showRow(row, { key, json, origin }, cli);
	if (below.length === 0) refuseUnknown(key, config.schema);
	const rows = shownSettings(config, below);
	const shown = origin ? rows : rows.map(({ origin: _, ...rest }) => rest);
	cli.stdout.write(json ? `${JSON.stringify(shown, null, 2)}\n` : table(rows, origin));
	return exitCodes.ok;
}

async function showRow(row: ShownSetting, { json, origin }: Wish, cli: Cli): Promise<number> {
	if (row.problem !== undefined) throw new CommandFailed(row.problem);
	const { valueText } = await import("./shown-settings.ts");
	const value = json ? JSON.stringify(row.value ?? null) : valueText(row.value);
	const both = json ? JSON.stringify(row) : `${value}  (${row.origin})`;
	cli.stdout.write(`${origin ? both : value}\n`);
	return exitCodes.ok;
}
