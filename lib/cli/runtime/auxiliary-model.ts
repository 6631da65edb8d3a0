/** The model of a side task, such as summing a conversation up, where the settings name another one than the conversation's. */

import type { LoadedConfig } from "../../config/load.ts";
import type { ModelClient } from "../../providers/provider.ts";
import type { Cli } from "../subcommand.ts";
import { customEndpoint, wireNamed } from "./custom-endpoint.ts";
import { findProvider } from "./find-provider.ts";
import { openClient } from "./open-client.ts";
import type { OpenedProvider } from "./open-provider.ts";

/** A model that is ready to be asked. */
export interface AuxiliaryModel {
	readonly client: ModelClient;
	readonly model: string;
	readonly providerId: string;
}

/** Settings that mean the provider of the conversation. */
const own = ["", "auto", "main"];

/** Whether the settings name a model of its own for `task`. */
export function hasAuxiliary(config: LoadedConfig, task: string): boolean {
	const { provider, model, baseUrl } = settingsOf(config, task);
	return !own.includes(provider) || model !== "" || baseUrl !== "";
}

/**
 * Opens it.
 * @throws {UsageError | ProviderRefused} When a setting is missing or wrong.
 */
export async function openAuxiliary(
	cli: Cli,
	{ config, task, main }: { readonly config: LoadedConfig; readonly task: string; readonly main: OpenedProvider },
): Promise<AuxiliaryModel> {
	const { provider: named, model, baseUrl, apiKey, wire } = settingsOf(config, task);
	const isOwn = own.includes(named);
	if (isOwn && baseUrl === "") return { client: main.client, model: model || main.model, providerId: main.id };
	const name = isOwn ? "custom" : named;
	const endpoint = customEndpoint(name, config);
	const provider = await findProvider(cli, endpoint === undefined ? name : "custom");
	// A key goes to its own provider, or to the address that it is named for.
	const isElsewhere = endpoint !== undefined || (baseUrl !== "" && provider.id !== "custom");
	const { client } = await openClient(cli, {
		provider,
		config,
		baseUrl: baseUrl || endpoint?.baseUrl,
		apiKey: apiKey || endpoint?.apiKey || (isElsewhere ? "" : undefined),
		name: endpoint === undefined ? name : provider.id,
		wire: wire ?? endpoint?.wire,
	});
	return {
		client,
		model: model || endpoint?.model || provider.defaultModel || main.model,
		providerId: endpoint === undefined ? provider.id : name,
	};
}

function settingsOf(config: LoadedConfig, task: string) {
	const at = `auxiliary.${task}` as const;
	return {
		provider: config.get(`${at}.provider`),
		model: config.get(`${at}.model`),
		baseUrl: config.get(`${at}.base_url`),
		apiKey: config.get(`${at}.api_key`),
		wire: wireNamed(config.get(`${at}.api_mode`)),
	};
}
