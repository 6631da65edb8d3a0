/** `hermes plugins list`: what is installed, without running any of it. */

import { jsonFlag } from "../common-flags.ts";
import { exitCodes } from "../exit-codes.ts";
import { defineAction } from "../subcommand.ts";

/** Plug-ins with their state. */
export const list = defineAction({
	summary: "List the plug-ins",
	flags: jsonFlag,

	async run({ flags: { json } }, cli) {
		const [{ findPlugins, pluginFolder }, { openSettings }] = await Promise.all([
			import("../../plugins/find-plugins.ts"),
			import("../runtime/settings.ts"),
		]);
		const home = cli.environment.hermesHome;
		const enabled = (await openSettings(cli, {})).get("plugins.enabled");
		const found = await findPlugins(home);
		const gone = enabled.filter((name) => !found.some((plugin) => plugin.name === name));
		const rows: Row[] = [
			...found.map((plugin) => ({
				name: plugin.name,
				enabled: enabled.includes(plugin.name),
				...(plugin.ok ? contentOf(plugin.manifest) : { problem: plugin.reason }),
			})),
			...gone.map((name) => ({ name, enabled: true, problem: "there is no such folder" })),
		];
		if (json) cli.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
		else cli.stdout.write(rows.length === 0 ? `There is no plug-in in ${pluginFolder(home)}\n` : table(rows));
		return exitCodes.ok;
	},
});

/** One plug-in, as `--json` prints it. */
interface Row {
	readonly name: string;
	readonly enabled: boolean;
	readonly version?: string;
	readonly description?: string;
	readonly tools?: readonly string[];
	readonly hooks?: readonly string[];
	/** Variables that it is given. */
	readonly environment?: readonly string[];
	/** Why it cannot be used. */
	readonly problem?: string;
}

type Manifest = import("../../plugins/manifest.ts").Manifest;

function contentOf({ version, description, tools, hooks, environment }: Manifest) {
	return { version, description, tools: tools.map(({ name }) => name), hooks, environment };
}

function table(rows: readonly Row[]): string {
	const width = Math.max(...rows.map(({ name }) => name.length)) + 2;
	return rows
		.map((row) => `${row.name.padEnd(width)}${row.enabled ? "enabled   " : "disabled  "}${aboutOf(row)}\n`)
		.join("");
}

function aboutOf({ problem, description, tools = [], hooks = [] }: Row): string {
	if (problem !== undefined) return `cannot be used: ${problem}`;
	const parts = [...(description ? [description] : []), ...(tools.length > 0 ? [`tools: ${tools.join(", ")}`] : [])];
	return [...parts, ...(hooks.length > 0 ? [`hooks: ${hooks.join(", ")}`] : [])].join(" · ");
}
