/** Where the requests of a provider go: an address never takes a key to another service because it was left over somewhere. */

import type { LoadedConfig } from "../../config/load.ts";
import { isSameHost } from "../../providers/auth/key-hosts.ts";
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
	return environmentAddress(provider, config);
}

/** The address that the environment names for `provider`, in words or by a region; undefined when it names none. */
function environmentAddress(provider: Provider, { variables }: LoadedConfig): string | undefined {
	const named = provider.baseUrlNames?.map((name) => variables[name]?.trim()).find(Boolean);
	return named ?? provider.baseUrlIn?.(variables);
}

/** The same for a provider that is not the conversation's and is called `name`; a server of this machine has its own place. */
export function sideAddress(provider: Provider, name: string, config: LoadedConfig): string | undefined {
	return provider.id === "custom" && name !== provider.id ? undefined : environmentAddress(provider, config);
}

/** Whether the keys of `provider` may go to `address`, which was written for something else than the conversation's model. */
export function isOwnAddress(provider: Provider, address: string, config: LoadedConfig): boolean {
	const own = environmentAddress(provider, config) ?? provider.baseUrl;
	return own !== undefined && isSameHost(own, address);
}

/** Whether the key in `model.api_key`, which belongs to the address in `model.base_url`, is for `provider` at `address`. */
export function ownsConfiguredKey(provider: Provider, config: LoadedConfig, address: string | undefined): boolean {
	if (provider.id !== "custom" && !isWrittenBeside(provider, config)) return false;
	// Another address may have been typed, or stand in the environment, than the one that the key was written beside.
	const beside = config.file.values.get("model.base_url")?.value;
	if (typeof beside !== "string" || beside.trim() === "") return isOnlyOne(provider, config);
	return address !== undefined && isSameHost(beside, address);
}

/** Whether config.yaml names no other provider, whose the key in it would be. */
function isOnlyOne({ id, aliases }: Provider, { file }: LoadedConfig): boolean {
	const named = file.values.get("model.provider")?.value;
	return named === undefined || ["", "auto", id, ...aliases].includes(String(named));
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
