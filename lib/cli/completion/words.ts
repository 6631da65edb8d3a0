/** The words that a shell offers for what a flag or an operand may be. */

import { loadPlugins } from "../../base/plugins.ts";
import { createRegistry } from "../../registry/registry.ts";
import { toolsetNames } from "../../registry/toolsets.ts";
import { openSchema } from "../config/open-config.ts";
import { type BuiltInWords, type Cli, type Completes, type UsersWords, usersWords } from "../subcommand.ts";

/** Words that are offered: these, or those that hermes gives when it is asked. */
export type Offered = readonly string[] | { readonly asks: UsersWords };

/** Gives the words of each kind; what only a running session knows (tools of plug-ins of the user) is not among them. */
export type WordLists = (completes: Completes) => Offered;

/** Reads the names of everything there is. */
export async function openWordLists(cli: Cli): Promise<WordLists> {
	const { tools, backends, providers, subcommands } = cli.plugins;
	const [loadedTools, loadedProviders, schema] = await Promise.all([
		loadPlugins(tools),
		loadPlugins(providers),
		openSchema(cli),
	]);
	const registry = createRegistry(loadedTools.loaded, loadedTools.failures);
	const named: Readonly<Record<BuiltInWords, readonly string[]>> = {
		backends: Object.keys(backends),
		providers: [...loadedProviders.loaded.values()].map(({ id }) => id),
		settings: schema.paths,
		subcommands: Object.keys(subcommands),
		tools: registry.list().map(({ name }) => name),
		toolsets: toolsetNames(registry),
	};
	return (completes) => {
		if (typeof completes !== "string") return completes;
		const asks = usersWords.find((kind) => kind === completes);
		return asks === undefined ? named[completes as BuiltInWords] : { asks };
	};
}
