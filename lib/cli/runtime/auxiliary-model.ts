/** The model of a side task, such as summing a conversation up, where the settings name another one than the conversation's. */

import type { LoadedConfig } from "../../config/load.ts";
import type { ModelClient, Provider, WireName } from "../../providers/provider.ts";
import type { Cli } from "../subcommand.ts";
import { type CustomEndpoint, customEndpoint, wireNamed } from "./custom-endpoint.ts";
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
	const { provider, model, baseUrl, apiKey } = settingsOf(config, task);
	const isNamed = !own.includes(provider) || model !== "" || baseUrl !== "" || apiKey !== "";
	return isNamed || Object.keys(extraBodyOf(config, task)).length > 0;
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
	return { client: withExtraBody(client, extraBodyOf(config, task)), model, providerId: id };
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
	if (isOwn && baseUrl === "") {
		const paid = paidApart(named, main, config);
		return paid === undefined
			? { ...main, model: model || main.model }
			: await openNamed(cli, { config, named: paid, main });
	}
	const name = isOwn ? "custom" : named.provider;
	const endpoint = customEndpoint(name, config);
	const provider = await findProvider(cli, endpoint === undefined ? name : "custom");
	const { address, isElsewhere } = placeOf({ provider, name, endpoint, baseUrl, config });
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

/** A key goes to its own provider, or to the address that it is named for. */
function placeOf({
	provider,
	name,
	endpoint,
	baseUrl,
	config,
}: {
	readonly provider: Provider;
	readonly name: string;
	readonly endpoint: CustomEndpoint | undefined;
	readonly baseUrl: string;
	readonly config: LoadedConfig;
}) {
	const isForeign = provider.id !== "custom" && baseUrl !== "" && !isOwnAddress(provider, baseUrl, config);
	return {
		isElsewhere: endpoint !== undefined || isForeign,
		address: baseUrl || endpoint?.baseUrl || sideAddress(provider, name, config),
	};
}

function shownAddress(baseUrl: string | undefined): Pick<OpenedProvider, "baseUrl"> {
	return baseUrl === undefined ? {} : { baseUrl };
}

/** A key alone is another one for the provider of the conversation; undefined when there is none, or nowhere to send it. */
function paidApart(named: NamedModel, { id, baseUrl, model }: OpenedProvider, config: LoadedConfig) {
	if (named.apiKey === "" || baseUrl === undefined) return undefined;
	const wire = named.wire ?? wireNamed(config.get("model.api_mode"));
	return { ...named, provider: id, baseUrl, model: named.model || model, wire };
}

function extraBodyOf(config: LoadedConfig, task: string): Readonly<Record<string, unknown>> {
	return config.get(`auxiliary.${task}.extra_body`);
}

function withExtraBody(client: ModelClient, extraBody: Readonly<Record<string, unknown>>): ModelClient {
	if (Object.keys(extraBody).length === 0) return client;
	return { complete: (request, signal) => client.complete({ ...request, extraBody }, signal) };
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
