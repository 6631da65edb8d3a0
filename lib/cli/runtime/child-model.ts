/** The model of sub-agents: that of their conversation, unless `delegation.*` names another one. */

import type { LoadedConfig } from "../../config/load.ts";
import { ProviderRefused } from "../../providers/provider.ts";
import type { Cli } from "../subcommand.ts";
import { type NamedModel, openNamed } from "./auxiliary-model.ts";
import { wireNamed } from "./custom-endpoint.ts";
import { findProvider } from "./find-provider.ts";
import { isSameAddress } from "./open-client.ts";
import type { OpenedProvider } from "./open-provider.ts";

/** Who answers at some addresses, by the beginning of what follows the scheme. */
const knownAddresses: readonly (readonly [string, Pick<NamedModel, "provider" | "wire">])[] = [
	["chatgpt.com/backend-api/codex", { provider: "codex", wire: undefined }],
	["api.anthropic.com", { provider: "anthropic", wire: undefined }],
	["api.kimi.com/coding", { provider: "custom", wire: "anthropic-messages" }],
];

/** Gives the provider and the model of the next child; a provider of its own is opened once. */
export function openChildModels(
	cli: Cli,
	{ config, main }: { readonly config: LoadedConfig; readonly main: OpenedProvider },
): (model: string) => Promise<OpenedProvider> {
	const opened = new Map<string, Promise<OpenedProvider>>();
	const openOnce = async (named: NamedModel) => {
		const key = `${named.provider} ${named.baseUrl}`;
		const opening = opened.get(key) ?? openNamed(cli, { config, named, main });
		opened.set(key, opening);
		try {
			return await opening;
		} catch (cause) {
			opened.delete(key);
			throw withKeyHint(named, cause);
		}
	};
	return async (model) => {
		const named = namedModel(config);
		if (!isSame(named, main)) return await openOnce({ ...named, isKeyOfAddress: named.baseUrl !== "" });
		const asked = named.model || model;
		// The same provider has the same keys: what one of them must rest from, all must.
		if (named.apiKey === "" || (await findProvider(cli, providerOf(main))).keyNames.length === 0) {
			return { ...main, model: asked };
		}
		const wire = named.wire ?? wireNamed(config.get("model.api_mode"));
		const own = await openOnce({ ...named, provider: main.id, baseUrl: main.baseUrl ?? "", wire });
		return { ...own, model: asked };
	};
}

/** An endpoint is what its address says, whatever it is called. */
function isSame({ provider, baseUrl }: NamedModel, main: OpenedProvider): boolean {
	if (baseUrl !== "") {
		return (
			main.baseUrl !== undefined && isSameAddress(baseUrl, main.baseUrl) && (provider === "" || provider === main.id)
		);
	}
	return provider === "" || provider === "auto" || provider === "main" || provider === main.id;
}

/** An entry of `custom_providers` is none of the providers that hermes has. */
function providerOf({ id }: OpenedProvider): string {
	return id.startsWith("custom:") ? "custom" : id;
}

/** The key that the provider asks for would not be sent there. */
function withKeyHint({ baseUrl, apiKey }: NamedModel, cause: unknown): unknown {
	if (!(cause instanceof ProviderRefused) || baseUrl === "" || apiKey !== "") return cause;
	return new Error(`${cause.message}. For ${baseUrl} the key is delegation.api_key`, { cause });
}

/** The language of another endpoint is never taken over from the conversation's. */
function namedModel(config: LoadedConfig): NamedModel {
	const baseUrl = config.get("delegation.base_url");
	const provider = config.get("delegation.provider");
	const wire = wireNamed(config.get("delegation.api_mode"));
	const address = baseUrl.replace(/^https?:\/\//, "");
	const known = knownAddresses.find(([start]) => address.startsWith(start))?.[1];
	const bySuffix = /\/anthropic\/?$/.test(baseUrl) ? "anthropic-messages" : undefined;
	return {
		provider: provider || (known?.provider ?? ""),
		model: config.get("delegation.model"),
		baseUrl,
		apiKey: config.get("delegation.api_key"),
		wire: wire ?? known?.wire ?? bySuffix,
	};
}
