/** `hermes plugins enable`: from now on its tools and hooks are part of every session. */

import { z } from "zod";
import { CommandFailed, exitCodes } from "../exit-codes.ts";
import { defineAction } from "../subcommand.ts";

/** Plug-ins that may be loaded. */
export const enable = defineAction({
	summary: "Enable a plug-in",
	details: "Its code then runs with your rights, in a process of its own. Look at it first.",
	operands: "<NAME>",
	completes: "plug-ins",
	flags: z.object({}),

	async run({ operands: [name = ""] }, cli) {
		const [{ findPlugins, pluginFolder }, { nearestName }, { changeList }] = await Promise.all([
			import("../../plugins/find-plugins.ts"),
			import("../../base/nearest-name.ts"),
			import("../runtime/change-list.ts"),
		]);
		const home = cli.environment.hermesHome;
		const found = await findPlugins(home);
		const plugin = found.find((each) => each.name === name);
		if (plugin === undefined) {
			const names = found.map((each) => each.name);
			const near = nearestName(name, names);
			const advice = near === undefined ? `there is ${names.join(", ") || "none"}` : `did you mean "${near}"?`;
			throw new CommandFailed(`Cannot enable plug-in "${name}": it is not in ${pluginFolder(home)}; ${advice}`);
		}
		if (!plugin.ok) throw new CommandFailed(`Cannot enable plug-in "${name}": ${plugin.reason}`);
		await changeList(home, "plugins.enabled", (list = []) => [...new Set([...list, name])]);
		const { tools, hooks, environment } = plugin.manifest;
		cli.stdout.write(`Enabled ${name}: it runs ${plugin.folder} with your rights\n`);
		for (const [title, names] of [
			["tools", tools.map((tool) => tool.name)],
			["hooks", hooks],
			["variables it is given", environment],
		] as const) {
			if (names.length > 0) cli.stdout.write(`  ${title}: ${names.join(", ")}\n`);
		}
		return exitCodes.ok;
	},
});
