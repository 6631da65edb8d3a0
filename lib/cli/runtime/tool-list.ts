/** The tools of one session, put together again before every turn, so that changed settings reach a running session. */

import { statSync } from "node:fs";
import { attempt } from "../../base/attempt.ts";
import { ConfigInvalid } from "../../config/config-invalid.ts";
import { configPath } from "../../config/files.ts";
import { type LoadedConfig, loadConfig } from "../../config/load.ts";
import { openCatalog } from "../../providers/models/catalog.ts";
import type { Assembly } from "../../registry/definitions.ts";
import { schemaFamilyOf } from "../../registry/schema/family.ts";
import type { Catalogue } from "../../registry/search/bridges.ts";
import { readSearchSettings } from "../../registry/search/settings.ts";
import { UsageError } from "../exit-codes.ts";
import type { Cli } from "../subcommand.ts";
import type { Toolbox } from "./open-tools.ts";
import { chooseToolsets, type ToolChoice } from "./tool-choice.ts";

/** What a session can call now. */
export interface ToolList {
	readonly assembly: Assembly;
	/** What the search tools find. */
	catalogue(): Catalogue;
	/** Takes in what has changed: settings, availability, plug-ins that came or went. `model` is the one asked next. */
	refresh(model: string): Promise<void>;
}

/** What a list is made for. */
export interface ToolListOptions {
	readonly config: LoadedConfig;
	readonly choice: ToolChoice;
	readonly providerId: string;
	readonly model: string;
	/** Told of settings that cannot be used any more; the list then stays as it was. */
	onWarning(text: string): void;
}

/**
 * The list of a new session.
 * @throws {UsageError} When the settings or the command line name an unknown toolset.
 */
export async function openToolList(cli: Cli, toolbox: Toolbox, options: ToolListOptions): Promise<ToolList> {
	const { registry, assembler } = toolbox;
	const { hermesHome: home, variables } = cli.environment;
	// Read once: the list must not change because the catalog was fetched meanwhile.
	const catalog = openCatalog(home);
	const assemble = (config: LoadedConfig, model: string): Promise<Assembly> => {
		const { enabled, disabled } = chooseToolsets(registry, config, options.choice);
		return assembler.assemble({
			enabled,
			disabled,
			family: schemaFamilyOf({ provider: options.providerId, model }),
			search: searchOf(config),
			contextTokens: config.get("model.context_length") || catalog.facts(options.providerId, model).contextTokens,
			fingerprint: markOf(home),
		});
	};
	for (const warning of chooseToolsets(registry, options.config, options.choice).warnings) options.onWarning(warning);
	let { config } = options;
	let mark = markOf(home);
	let assembly = await assemble(config, options.model);
	return {
		get assembly() {
			return assembly;
		},
		catalogue: () => ({
			deferred: assembly.deferred,
			settings: searchOf(config),
			get: (name) => registry.get(name),
		}),
		async refresh(model) {
			try {
				const now = markOf(home);
				const changed = now === mark ? config : await loadConfig({ home, variables });
				mark = now;
				await toolbox.useSettings(changed);
				assembly = await assemble(changed, model);
				config = changed;
			} catch (cause) {
				await toolbox.useSettings(config);
				if (!(cause instanceof ConfigInvalid || cause instanceof UsageError)) throw cause;
				options.onWarning(`the tools stay as they were: ${cause.message}`);
			}
		},
	};
}

function searchOf(config: LoadedConfig) {
	return readSearchSettings(config.section("tools.tool_search"));
}

/** Changes whenever config.yaml does. */
function markOf(home: string): string {
	const looked = attempt(() => statSync(configPath(home), { bigint: true }));
	return looked.ok ? `${looked.value.ino}:${looked.value.mtimeNs}:${looked.value.size}` : "";
}
