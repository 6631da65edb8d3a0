/** Chooses who answers, and with what settings, from flags, environment and configuration. */

import { nearestName } from "../../base/nearest-name.ts";
import { loadPlugins } from "../../base/plugins.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { ModelClient, Provider, ProviderSettings, Tape } from "../../providers/provider.ts";
import { CommandFailed, UsageError } from "../exit-codes.ts";
import type { Cli } from "../subcommand.ts";

/** What says who answers. */
export interface ProviderChoice {
	readonly config: LoadedConfig;
	/** A cassette to play; chooses the provider of that name. */
	readonly tape?: Tape | undefined;
}

/** A provider that is ready to be asked. */
export interface OpenedProvider {
	readonly id: string;
	readonly model: string;
	readonly baseUrl?: string;
	readonly client: ModelClient;
}

/** Slow models think for minutes before the first byte; longer silence than this is a dead stream. */
export const stallSeconds = 300;

/** Where a key goes when no address is given: to the service whose name it bears. */
const openAiUrl = "https://api.openai.com/v1";

const instructions = `Cannot ask a model: no provider is configured. Choose one:
  a server of your own    hermes chat --base-url http://localhost:11434/v1 -m MODEL
  a hosted service        export OPENAI_API_KEY=...   (--base-url U when it is not OpenAI), hermes chat -m MODEL
  without any model       hermes demo`;

/**
 * Opens the provider that the user chose.
 * @throws {CommandFailed} With instructions, when nothing says who should answer.
 * @throws {UsageError} When the provider is unknown or needs a model name.
 * @throws {ProviderRefused} When a setting is missing or wrong.
 */
export async function openProvider(cli: Cli, choice: ProviderChoice): Promise<OpenedProvider> {
	const { config } = choice;
	const { variables } = config;
	const keyOwner = variables.OPENAI_API_KEY ? openAiUrl : undefined;
	const baseUrl = config.get("model.base_url") || keyOwner;
	const provider = await findProvider(cli, providerName(choice, baseUrl));
	const model = (choice.tape === undefined && config.get("model.default")) || provider.defaultModel;
	if (model === undefined) {
		throw new UsageError(
			`Cannot ask "${provider.id}": name a model with -m MODEL (or hermes config set model.default MODEL)`,
		);
	}
	const apiKey = config.get("model.api_key") || provider.keyNames.map((name) => variables[name]).find(Boolean);
	const settings: ProviderSettings = {
		stallSeconds,
		...(baseUrl !== undefined && { baseUrl }),
		...(apiKey !== undefined && { apiKey }),
		...(choice.tape !== undefined && { tape: choice.tape }),
	};
	const client = await provider.open(settings);
	return { id: provider.id, model, client, ...(baseUrl !== undefined && { baseUrl }) };
}

function providerName(choice: ProviderChoice, baseUrl: string | undefined): string {
	if (choice.tape !== undefined) return "cassette";
	const named = choice.config.get("model.provider");
	if (named !== "" && named !== "auto") return named;
	if (baseUrl !== undefined) return "custom";
	throw new CommandFailed(instructions);
}

/**
 * The provider with this id or alias.
 * @throws {UsageError} When there is none.
 */
export async function findProvider(cli: Cli, name: string): Promise<Provider> {
	const load = Object.hasOwn(cli.plugins.providers, name) ? cli.plugins.providers[name] : undefined;
	if (load !== undefined) return (await load()).default;
	const { loaded } = await loadPlugins(cli.plugins.providers);
	const providers = [...loaded.values()];
	const found = providers.find((provider) => provider.aliases.includes(name));
	if (found !== undefined) return found;
	const near = nearestName(
		name,
		providers.flatMap((provider) => [provider.id, ...provider.aliases]),
	);
	const advice = near === undefined ? "" : `; did you mean "${near}"?`;
	throw new UsageError(
		`Cannot use provider "${name}": unknown; there is ${providers.map(({ id }) => id).join(", ")}${advice}`,
	);
}
