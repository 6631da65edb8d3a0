/** The configuration as the subcommands of `hermes config` need it: with the keys of every backend. */

import { loadPlugins } from "../../base/plugins.ts";
import { type LoadedConfig, loadConfig } from "../../config/load.ts";
import { type PluginSchema, pluginKeys } from "../../config/schema/plug-in-keys.ts";
import { createSchema, type Schema } from "../../config/schema/table.ts";
import { CommandFailed } from "../exit-codes.ts";
import type { Cli } from "../subcommand.ts";

/** Loads files and environment. @throws {ConfigInvalid} When they cannot be used. */
export async function openConfig(cli: Cli): Promise<LoadedConfig> {
	const { hermesHome: home, variables } = cli.environment;
	return await loadConfig({ home, variables, schemas: await pluginSchemas(cli) });
}

/** The key table with the keys of plug-ins, without reading any file. */
export async function openSchema(cli: Cli): Promise<Schema> {
	return createSchema(await pluginKeys(await pluginSchemas(cli)));
}

/** What `path` is in a message when no row has it. @throws {CommandFailed} Always. */
export function refuseUnknown(path: string, schema: Schema): never {
	const nearest = schema.nearest(path);
	throw new CommandFailed(`Cannot find "${path}": unknown key${nearest ? `; did you mean ${nearest}?` : ""}`);
}

async function pluginSchemas(cli: Cli): Promise<PluginSchema[]> {
	const { loaded } = await loadPlugins(cli.plugins.backends);
	return [...loaded.values()].map(({ name, config }) => ({ section: "terminal", plugin: name, config }));
}
