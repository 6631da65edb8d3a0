/** Chooses who answers, and with what settings, from flags, environment and configuration. */

import type { LoadedConfig } from "../../config/load.ts";
import { refreshCatalog } from "../../providers/models/refresh-catalog.ts";
import { networkOf } from "../../providers/network.ts";
import type { Provider, Tape } from "../../providers/provider.ts";
import { CommandFailed, UsageError } from "../exit-codes.ts";
import type { Cli } from "../subcommand.ts";
import { type CustomEndpoint, customEndpoint, wireNamed } from "./custom-endpoint.ts";
import { findProvider, providerWithKey } from "./find-provider.ts";
import { type OpenedClient, openClient } from "./open-client.ts";
import { ownsConfiguredKey, providerAddress } from "./provider-address.ts";

/** What says who answers. */
export interface ProviderChoice {
	readonly config: LoadedConfig;
	/** A cassette to play; chooses the provider of that name. */
	readonly tape?: Tape | undefined;
}

/** A provider that is ready to be asked. */
export interface OpenedProvider extends OpenedClient {
	readonly id: string;
	readonly model: string;
	readonly baseUrl?: string;
}

const instructions = `Cannot ask a model: no provider is configured. Choose one:
  step by step            hermes setup
  a server of your own    hermes chat --base-url http://localhost:11434/v1 -m MODEL
  a hosted service        export OPENAI_API_KEY=..., hermes chat -m MODEL   (CUSTOM_API_KEY and --base-url U when it is not OpenAI)
                          or hermes auth add PROVIDER, and hermes model
  without any model       hermes demo`;

/**
 * Opens the provider that the user chose.
 * @throws {CommandFailed} With instructions, when nothing says who should answer.
 * @throws {UsageError} When the provider is unknown or needs a model name.
 * @throws {ProviderRefused} When a setting is missing or wrong.
 */
export async function openProvider(cli: Cli, choice: ProviderChoice): Promise<OpenedProvider> {
	const { config, tape } = choice;
	const name = await providerName(cli, choice);
	const endpoint = customEndpoint(name, config);
	const provider = await findProvider(cli, endpoint === undefined ? name : "custom");
	const model = (tape === undefined && config.get("model.default")) || endpoint?.model || provider.defaultModel;
	if (model === undefined) {
		throw new UsageError(
			`Cannot ask "${provider.id}": name a model with -m MODEL (or hermes config set model.default MODEL)`,
		);
	}
	const baseUrl = endpoint?.baseUrl ?? providerAddress(provider, config);
	const client = await openClient(cli, {
		provider,
		config,
		baseUrl,
		apiKey: endpoint === undefined ? configuredKey(provider, config, baseUrl) : keyOf(endpoint),
		// A named endpoint is no preset: its address is known.
		name: endpoint === undefined ? name : provider.id,
		wire: endpoint?.wire ?? wireNamed(config.get("model.api_mode")),
		tape,
	});
	if (provider.baseUrl !== undefined && config.get("model.refresh_catalog")) {
		// Nothing waits for it: what it brings is for the next start.
		void refreshCatalog({ home: cli.environment.hermesHome, network: networkOf(config.variables) });
	}
	const shown = baseUrl ?? provider.baseUrl;
	return {
		id: endpoint === undefined ? provider.id : name,
		model,
		...client,
		...(shown !== undefined && { baseUrl: shown }),
	};
}

function configuredKey(provider: Provider, config: LoadedConfig, address: string | undefined): string | undefined {
	return (ownsConfiguredKey(provider, config, address) && config.get("model.api_key")) || undefined;
}

/** No other key is looked for: it would belong to another service. */
function keyOf({ apiKey }: CustomEndpoint): string {
	return apiKey ?? "";
}

async function providerName(cli: Cli, { config, tape }: ProviderChoice): Promise<string> {
	if (tape !== undefined) return "cassette";
	const named = config.get("model.provider");
	if (named !== "" && named !== "auto") return named;
	if (config.get("model.base_url") !== "") return "custom";
	const withKey = await providerWithKey(cli, { variables: config.variables, home: cli.environment.hermesHome });
	if (withKey === undefined) throw new CommandFailed(instructions);
	return withKey.id;
}
