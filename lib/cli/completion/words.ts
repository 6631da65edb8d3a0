/** The words that a shell offers for what a flag or an operand may be. */

import { loadPlugins } from "../../base/plugins.ts";
import { profileNames, profileRoot } from "../../config/profiles/folders.ts";
import { createRegistry } from "../../registry/registry.ts";
import { toolsetNames } from "../../registry/toolsets.ts";
import { savedApprovals } from "../../security/approval/saved-approvals.ts";
import { openSchema } from "../config/open-config.ts";
import type { Cli, Completes } from "../subcommand.ts";

/** Gives the words of each kind; what only a running session knows (tools of plug-ins of the user) is not among them. */
export type WordLists = (completes: Completes) => readonly string[];

/** Reads the names of everything there is. */
export async function openWordLists(cli: Cli): Promise<WordLists> {
	const { tools, backends, providers, subcommands } = cli.plugins;
	const [loadedTools, loadedProviders, schema] = await Promise.all([
		loadPlugins(tools),
		loadPlugins(providers),
		openSchema(cli),
	]);
	const registry = createRegistry(loadedTools.loaded, loadedTools.failures);
	const named = {
		approvals: savedApprovals(cli.environment.hermesHome)
			.list()
			.map(({ id }) => id),
		backends: Object.keys(backends),
		profiles: profileNames(profileRoot(cli.environment.hermesHome)),
		providers: [...loadedProviders.loaded.values()].map(({ id }) => id),
		settings: schema.paths,
		subcommands: Object.keys(subcommands),
		tools: registry.list().map(({ name }) => name),
		toolsets: toolsetNames(registry),
	} as const;
	return (completes) => (typeof completes === "string" ? named[completes] : completes);
}
