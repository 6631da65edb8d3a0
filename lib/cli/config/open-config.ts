/** The configuration as the subcommands of `hermes config` need it: with the keys of every backend. */

import { type LoadedConfig, loadConfig } from "../../config/load.ts";
import { pluginKeys } from "../../config/schema/plug-in-keys.ts";
import { createSchema, type Schema } from "../../config/schema/table.ts";
import { CommandFailed } from "../exit-codes.ts";
import { backendSchemas } from "../runtime/settings.ts";
import type { Cli } from "../subcommand.ts";

/** Loads files and environment. @throws {ConfigInvalid} When they cannot be used. */
export async function openConfig(cli: Cli): Promise<LoadedConfig> {
	const { hermesHome: home, variables } = cli.environment;
	return await loadConfig({ home, variables, schemas: await backendSchemas(cli), policy: cli.policy });
}

/** The key table with the keys of plug-ins, without reading any file. */
export async function openSchema(cli: Cli): Promise<Schema> {
	return createSchema(await pluginKeys(await backendSchemas(cli)));
}

/** What `path` is in a message when no row has it. @throws {CommandFailed} Always. */
export function refuseUnknown(path: string, schema: Schema): never {
	const nearest = schema.nearest(path);
	const advice = nearest === undefined ? "hermes config show --all lists them" : `did you mean ${nearest}?`;
	throw new CommandFailed(`Cannot find "${path}": unknown key; ${advice}`);
}
