/** The models that take the place of one that cannot answer, from `fallback_providers` and its older form. */

import { z } from "zod";
import type { FallbackModel } from "../../agent/routes.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { ProviderRefused } from "../../providers/provider.ts";
import { UsageError } from "../exit-codes.ts";
import type { Cli } from "../subcommand.ts";
import { customEndpoint } from "./custom-endpoint.ts";
import { findProvider } from "./find-provider.ts";
import { type OpenedClient, openClient } from "./open-client.ts";
import type { OpenedProvider } from "./open-provider.ts";
import { isOwnAddress, sideAddress } from "./provider-address.ts";

const entryShape = z.object({
	provider: z.string().min(1),
	model: z.string().min(1),
	base_url: z.string().optional(),
	api_key: z.string().optional(),
	key_env: z.string().optional(),
	api_key_env: z.string().optional(),
});
type Entry = z.output<typeof entryShape>;

/** In the order in which they are tried. An entry that cannot be used is a warning and is left out. */
export function fallbackModels(
	cli: Cli,
	{ config, chosen }: { readonly config: LoadedConfig; readonly chosen: OpenedProvider },
	warn: (message: string) => void,
): readonly FallbackModel[] {
	return entriesOf(config).flatMap((value, index) => {
		const parsed = entryShape.safeParse(value);
		if (!parsed.success) {
			warn(`Entry ${index + 1} of fallback_providers is left out: it needs "provider" and "model"`);
			return [];
		}
		const entry = parsed.data;
		const baseUrl = entry.base_url ?? (entry.provider === chosen.id ? chosen.baseUrl : undefined);
		return [
			{
				providerId: entry.provider,
				model: entry.model,
				...(baseUrl !== undefined && { baseUrl }),
				open: () => openFallback(cli, { config, entry, baseUrl }),
			},
		];
	});
}

function entriesOf(config: LoadedConfig): readonly unknown[] {
	const older = config.get("fallback_model");
	const olderList = Array.isArray(older) ? older : [older];
	const isSaid = (value: unknown) => value !== undefined && value !== null && value !== "";
	return [...config.get("fallback_providers"), ...olderList].filter(isSaid);
}

async function openFallback(
	cli: Cli,
	{ config, entry, baseUrl }: { config: LoadedConfig; entry: Entry; baseUrl: string | undefined },
): Promise<OpenedClient> {
	const { provider, endpoint } = await known(cli, entry.provider, config);
	const { variables } = config;
	const names = [entry.key_env, entry.api_key_env].filter((name) => name !== undefined);
	const given = entry.api_key || names.map((name) => variables[name]).find(Boolean) || endpoint?.apiKey;
	// A key goes to its own provider, or to the address that the entry names it for; none takes the place of one that is named.
	const isElsewhere =
		endpoint !== undefined ||
		names.length > 0 ||
		(entry.base_url !== undefined && provider.id !== "custom" && !isOwnAddress(provider, entry.base_url, config));
	return openClient(cli, {
		provider,
		config,
		baseUrl: baseUrl ?? endpoint?.baseUrl ?? sideAddress(provider, entry.provider, config),
		apiKey: given ?? (isElsewhere ? "" : undefined),
		name: endpoint === undefined ? entry.provider : provider.id,
		wire: endpoint?.wire,
	});
}

async function known(cli: Cli, name: string, config: LoadedConfig) {
	try {
		const endpoint = customEndpoint(name, config);
		return { endpoint, provider: await findProvider(cli, endpoint === undefined ? name : "custom") };
	} catch (cause) {
		if (cause instanceof UsageError) throw new ProviderRefused("settings", cause.message, { cause });
		throw cause;
	}
}
