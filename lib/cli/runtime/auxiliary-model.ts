/** The model of a side task, such as summing a conversation up, where the settings name another one than the conversation's. */

import type { LoadedConfig } from "../../config/load.ts";
import type { ModelClient, WireName } from "../../providers/provider.ts";
import type { Cli } from "../subcommand.ts";
import { customEndpoint, wireNamed } from "./custom-endpoint.ts";
import { findProvider } from "./find-provider.ts";
import { openClient } from "./open-client.ts";
import type { OpenedProvider } from "./open-provider.ts";
import { isOwnAddress, sideAddress } from "./provider-address.ts";

/** A model that is ready to be asked. */
export interface AuxiliaryModel {
	readonly client: ModelClient;
	readonly model: string;
	readonly providerId: string;
}

/** What the settings name in the place of the conversation's model; empty texts name nothing. */
export interface NamedModel {
	readonly provider: string;
	readonly model: string;
	readonly baseUrl: string;
	readonly apiKey: string;
	readonly wire: WireName | undefined;
	/** See `ClientChoice`. */
	readonly isKeyOfAddress?: boolean;
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
	const { client, model, id } = await openNamed(cli, { config, named: settingsOf(config, task), main });
	return { client, model, providerId: id };
}

/**
 * Opens the model that the settings name; what they leave out is that of `main`, whose way is shared where the provider is the
 * same.
 * @throws {UsageError | ProviderRefused} When a setting is missing or wrong.
 */
export async function openNamed(
	cli: Cli,
	{ config, named, main }: { readonly config: LoadedConfig; readonly named: NamedModel; readonly main: OpenedProvider },
): Promise<OpenedProvider> {
	const { model, baseUrl, apiKey, wire } = named;
	const isOwn = own.includes(named.provider);
	if (isOwn && baseUrl === "") return { ...main, model: model || main.model };
	const name = isOwn ? "custom" : named.provider;
	const endpoint = customEndpoint(name, config);
	const provider = await findProvider(cli, endpoint === undefined ? name : "custom");
	// A key goes to its own provider, or to the address that it is named for.
	const isForeign = provider.id !== "custom" && baseUrl !== "" && !isOwnAddress(provider, baseUrl, config);
	const isElsewhere = endpoint !== undefined || isForeign;
	const address = baseUrl || endpoint?.baseUrl || sideAddress(provider, name, config);
	const opened = await openClient(cli, {
		provider,
		config,
		baseUrl: address,
		apiKey: apiKey || endpoint?.apiKey || (isElsewhere ? "" : undefined),
		isKeyOfAddress: named.isKeyOfAddress,
		name: endpoint === undefined ? name : provider.id,
		wire: wire ?? endpoint?.wire,
	});
	return {
		...opened,
		id: endpoint === undefined ? provider.id : name,
		model: model || endpoint?.model || provider.defaultModel || main.model,
		...shownAddress(address ?? provider.baseUrl),
	};
}

function shownAddress(baseUrl: string | undefined): Pick<OpenedProvider, "baseUrl"> {
	return baseUrl === undefined ? {} : { baseUrl };
}

function settingsOf(config: LoadedConfig, task: string): NamedModel {
	const at = `auxiliary.${task}` as const;
	return {
		provider: config.get(`${at}.provider`),
		model: config.get(`${at}.model`),
		baseUrl: config.get(`${at}.base_url`),
		apiKey: config.get(`${at}.api_key`),
		wire: wireNamed(config.get(`${at}.api_mode`)),
	};
}
