/** What the files of services have in common: an address of their own, a key that goes nowhere else, and clear words when one is missing. */

import { checkedKey, checkedUrl } from "./checked-settings.ts";
import { type ModelClient, type Provider, ProviderRefused, type ProviderSettings } from "./provider.ts";
import type { WireSettings } from "./wire/wire-settings.ts";

/** A service with its own address. */
export interface HostedProvider {
	readonly id: string;
	readonly aliases?: readonly string[];
	readonly description: string;
	readonly keyNames: readonly string[];
	readonly keyAddresses?: NonNullable<Provider["keyAddresses"]>;
	readonly baseUrl: string;
	readonly baseUrlNames?: readonly string[];
	/** The first is used when the user names none. */
	readonly models: readonly string[];
	readonly headers?: Readonly<Record<string, string>>;
	/** Another address for keys of another kind. */
	urlFor?(apiKey: string): string;
	readonly login?: NonNullable<Provider["login"]>;
	connect(settings: WireSettings): Promise<ModelClient>;
}

/** The provider in the form of the contract. */
export function defineHosted(hosted: HostedProvider): Provider {
	const { id, aliases = [], description, keyNames, keyAddresses, baseUrl, baseUrlNames, models, login } = hosted;
	const [defaultModel] = models;
	return {
		id,
		aliases,
		description,
		keyNames,
		baseUrl,
		models,
		...(keyAddresses !== undefined && { keyAddresses }),
		...(baseUrlNames !== undefined && { baseUrlNames }),
		...(defaultModel !== undefined && { defaultModel }),
		...(login !== undefined && { login }),
		open: async (settings) => hosted.connect(wireSettings(hosted, settings)),
	};
}

function wireSettings(hosted: HostedProvider, settings: ProviderSettings): WireSettings {
	const { id, keyNames } = hosted;
	const keyName = settings.keySource ?? keyNames[0] ?? "a key";
	if (settings.apiKey === undefined) {
		throw new ProviderRefused(
			"settings",
			`Cannot use provider ${id}: it has no key; set ${keyNames[0]} (hermes config set ${keyNames[0]} -) or run hermes auth add ${id}`,
		);
	}
	const apiKey = checkedKey(settings.apiKey, keyName);
	return {
		...sharedSettings(settings),
		provider: id,
		baseUrl: checkedUrl(settings.baseUrl ?? hosted.urlFor?.(apiKey) ?? hosted.baseUrl, keyName),
		apiKey,
		keyName,
		...(hosted.headers !== undefined && { headers: hosted.headers }),
	};
}

/** What a wire takes over as it is. */
export function sharedSettings({ stallSeconds, cacheTtl, network, answer }: ProviderSettings) {
	return {
		stallSeconds,
		...(cacheTtl !== undefined && { cacheTtl }),
		...(network !== undefined && { network }),
		...(answer !== undefined && { answer }),
	};
}
