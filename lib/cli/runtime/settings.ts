/** The settings of one run: what the command line says, laid over environment and configuration. */

import { existsSync } from "node:fs";
import { loadPlugins } from "../../base/plugins.ts";
import { configPath } from "../../config/files.ts";
import { type LoadedConfig, loadConfig } from "../../config/load.ts";
import { type PluginSchema, pluginKeys } from "../../config/schema/plug-in-keys.ts";
import type { Backend } from "../../environments/backend.ts";
import type { Cli } from "../subcommand.ts";

/** The flags that set a key; undefined ones were not typed. */
export interface SettingFlags {
	readonly backend?: string | undefined;
	readonly provider?: string | undefined;
	readonly model?: string | undefined;
	readonly baseUrl?: string | undefined;
	readonly maxTurns?: number | undefined;
	/** Whether conversations are shortened by themselves. */
	readonly compression?: boolean;
}

/**
 * Loads the settings and prints what is odd about them to standard error, one line each.
 * @throws {ConfigInvalid} When a file is broken, or a value in use cannot be used or is against the policy of the machine.
 */
export async function openSettings(cli: Cli, flags: SettingFlags): Promise<LoadedConfig> {
	const { hermesHome: home, variables } = cli.environment;
	// Without a file nothing can be unknown, and the backends need not be asked for their keys.
	const schemas = existsSync(configPath(home)) ? await backendSchemas(cli) : [];
	const config = await loadConfig({ home, variables, schemas, flags: keysOf(flags), policy: cli.policy });
	for (const warning of config.warnings) cli.stderr.write(`hermes: ${warning}\n`);
	return config;
}

/** The keys that every backend brings. */
export async function backendSchemas(cli: Cli): Promise<PluginSchema[]> {
	const { loaded } = await loadPlugins(cli.plugins.backends);
	return [...loaded.values()].map(schemaOf);
}

/**
 * What `backend` is configured with, as its own schema reads it.
 * @throws {ConfigInvalid} When one of its keys cannot be used, or the policy of the machine does not allow the backend.
 */
export async function backendSettings(cli: Cli, backend: Backend): Promise<unknown> {
	const { hermesHome: home, variables } = cli.environment;
	const schemas = [schemaOf(backend)];
	const paths = Object.keys(await pluginKeys(schemas));
	// It counts as chosen by hand: what the files choose is not what is opened here.
	const flags = { "terminal.backend": backend.name };
	const config = await loadConfig({ home, variables, schemas, flags, policy: cli.policy });
	config.get("terminal.backend");
	return backend.config.parse(
		config.section(
			"terminal",
			paths.map((path) => path.slice("terminal.".length)),
		),
	);
}

function schemaOf({ name, config }: Backend): PluginSchema {
	return { section: "terminal", plugin: name, config };
}

function keysOf({ backend, provider, model, baseUrl, maxTurns, compression }: SettingFlags) {
	return {
		"terminal.backend": backend,
		"model.provider": provider,
		"model.default": model,
		"model.base_url": baseUrl,
		"agent.max_turns": maxTurns,
		"compression.enabled": compression,
	};
}
