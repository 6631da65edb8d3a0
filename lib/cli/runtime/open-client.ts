/** Opens a provider with the keys that it has; with more than one they take turns. */

import { z } from "zod";
import type { LoadedConfig } from "../../config/load.ts";
import { type Strategy, strategies } from "../../providers/auth/choose-key.ts";
import { openHealthTable } from "../../providers/auth/key-health.ts";
import { isMadeFor, isSameHost } from "../../providers/auth/key-hosts.ts";
import { openKeyRing } from "../../providers/auth/key-ring.ts";
import { fingerprint, keysOf, type ProviderKey } from "../../providers/auth/provider-keys.ts";
import { networkOf } from "../../providers/network.ts";
import type { ModelClient, Provider, ProviderRefused, ProviderSettings, WireName } from "../../providers/provider.ts";
import type { Cli } from "../subcommand.ts";
import { withConfiguredFields } from "./request-fields.ts";

/** Slow models think for minutes before the first byte; longer silence than this is a dead stream. */
export const stallSeconds = 300;

/** A way to a provider, and from one of its keys to the next where it has several. */
export interface OpenedClient {
	readonly client: ModelClient;
	rotateKey?(refused: ProviderRefused, signal: AbortSignal): Promise<boolean>;
}

/** What is said about one provider. */
export interface ClientChoice {
	readonly provider: Provider;
	readonly config: LoadedConfig;
	readonly baseUrl?: string | undefined;
	/** A key that is given for this provider alone, empty for none; when left out the ones that it has are looked up. */
	readonly apiKey?: string | undefined;
	/** Of the keys that are looked up, only those count that were stored for this address. */
	readonly isKeyOfAddress?: boolean | undefined;
	/** The name under which the user asked for it. */
	readonly name?: string;
	readonly wire?: WireName | undefined;
	readonly tape?: ProviderSettings["tape"] | undefined;
}

/** @throws {ProviderRefused} When a setting is missing or wrong, or all keys rest. */
export async function openClient(cli: Cli, choice: ClientChoice): Promise<OpenedClient> {
	const { provider, config, apiKey } = choice;
	const keys = apiKey === undefined ? ownKeys(cli, choice) : givenKeys(apiKey);
	const open = async (key: ProviderKey | undefined) =>
		withConfiguredFields(await provider.open(settingsOf(choice, key)), provider, config);
	const [only] = keys;
	if (keys.length < 2) return { client: await open(only) };
	const ring = await openKeyRing({
		providerId: provider.id,
		keys,
		strategy: strategyOf(config, provider),
		health: openHealthTable(cli.environment.hermesHome),
		open,
	});
	return { client: ring.client, rotateKey: ring.rotateKey };
}

/**
 * The keys that are looked up. A model server of this machine gets none that belongs to a service, and no address one that
 * belongs to another.
 */
export function ownKeys(cli: Cli, choice: ClientChoice): ProviderKey[] {
	const { provider, config, name, baseUrl } = choice;
	if (provider.id === "custom" && name !== "custom" && baseUrl === undefined) return [];
	const keys = keysOf(provider, { variables: config.variables, home: cli.environment.hermesHome });
	const serving = keys.filter((key) => serves(key, choice));
	// Who has a key for endpoints of their own does not mean the other name as a second one.
	const isNamed = provider.id === "custom" && serving.some(({ source }) => source === ownKeyName);
	return isNamed ? serving.filter(({ source }) => source !== sharedKeyName) : serving;
}

const ownKeyName = "CUSTOM_API_KEY";
const sharedKeyName = "OPENAI_API_KEY";

/** Whether `key` may go where the requests go. */
function serves(key: ProviderKey, { provider, config, baseUrl, isKeyOfAddress = false }: ClientChoice): boolean {
	const address = baseUrl ?? provider.baseUrl;
	if (address === undefined) return true;
	if (key.baseUrl !== undefined) return baseUrl === undefined || isSameAddress(key.baseUrl, address);
	if (isKeyOfAddress) return false;
	const isOfUser = provider.id === "custom";
	const configured = config.get("model.base_url").trim();
	if (key.source !== sharedKeyName) return !isOfUser || isSameHost(configured, address);
	const beside = config.variables.OPENAI_BASE_URL?.trim() || undefined;
	if (!isOfUser) return beside === undefined || isSameHost(beside, address);
	return isMadeFor({ secret: key.secret, address, beside, configured: configured || undefined });
}

/** Whether two addresses are one, however they end. */
export function isSameAddress(one: string, other: string): boolean {
	return one.replace(/\/+$/, "") === other.replace(/\/+$/, "");
}

function givenKeys(secret: string): ProviderKey[] {
	return secret === "" ? [] : [{ secret, source: "the configuration", fingerprint: fingerprint(secret) }];
}

function settingsOf(
	{ provider, config, baseUrl, wire, tape, name }: ClientChoice,
	key: ProviderKey | undefined,
): ProviderSettings {
	const address = key?.baseUrl ?? baseUrl;
	const waits = Number(config.variables.HERMES_STREAM_STALE_TIMEOUT);
	return {
		stallSeconds: waits > 0 ? waits : stallSeconds,
		network: networkOf(config.variables),
		cacheTtl: config.get("prompt_caching.cache_ttl"),
		...(address !== undefined && { baseUrl: address }),
		...(key !== undefined && { apiKey: key.secret, keySource: key.source }),
		...(wire !== undefined && { wire }),
		...(tape !== undefined && { tape }),
		...(name !== undefined && name !== provider.id && { preset: name }),
		...(provider.variableNames !== undefined && { variables: variablesOf(provider.variableNames, config) }),
	};
}

function variablesOf(names: readonly string[], { variables }: LoadedConfig): Readonly<Record<string, string>> {
	return Object.fromEntries(
		names.flatMap((name) => {
			const value = variables[name]?.trim();
			return value === undefined || value === "" ? [] : [[name, value]];
		}),
	);
}

function strategyOf(config: LoadedConfig, { id }: Provider): Strategy {
	const named = z.enum(strategies).safeParse(config.get("credential_pool_strategies")[id]);
	return named.success ? named.data : "fill_first";
}
