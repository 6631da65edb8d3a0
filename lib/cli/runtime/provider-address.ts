/** Where the requests of a provider go: an address never takes a key to another service because it was left over somewhere. */

import type { LoadedConfig } from "../../config/load.ts";
import type { Provider } from "../../providers/provider.ts";

/** Providers that the address in OPENAI_BASE_URL may mean. */
const openAiNames: ReadonlySet<string> = new Set(["custom", "openai"]);

/**
 * The address for `provider`; undefined leaves it its own. `model.base_url` counts when it was typed, or stands in config.yaml
 * beside the provider that is meant. An OPENAI_BASE_URL is for OpenAI's own wire alone.
 */
export function providerAddress(provider: Provider, config: LoadedConfig): string | undefined {
	const written = config.get("model.base_url").trim();
	if (written !== "" && isMeant(provider, config)) return written;
	const { variables } = config;
	const named = provider.baseUrlNames?.map((name) => variables[name]?.trim()).find(Boolean);
	return named ?? provider.baseUrlIn?.(variables);
}

/** Whether the key in `model.api_key`, which belongs to the address in `model.base_url`, is for `provider`. */
export function ownsConfiguredKey(provider: Provider, config: LoadedConfig): boolean {
	return provider.id === "custom" || isWrittenBeside(provider, config);
}

function isMeant(provider: Provider, config: LoadedConfig): boolean {
	const kind = config.find("model.base_url")?.origin.kind;
	if (kind === "environment") return openAiNames.has(provider.id);
	return kind === "flag" || provider.id === "custom" || isWrittenBeside(provider, config);
}

/** A provider that was typed is not the one that config.yaml speaks of. */
function isWrittenBeside(provider: Provider, config: LoadedConfig): boolean {
	const named = config.find("model.provider");
	const isIt = named?.value === provider.id || provider.aliases.includes(String(named?.value));
	return isIt && (named?.origin.kind === "config" || named?.origin.kind === "policy");
}
