/** The model of sub-agents: that of their conversation, unless `delegation.*` names another one. */

import type { LoadedConfig } from "../../config/load.ts";
import type { Cli } from "../subcommand.ts";
import { type NamedModel, openNamed } from "./auxiliary-model.ts";
import { wireNamed } from "./custom-endpoint.ts";
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
	let opened: Promise<OpenedProvider> | undefined;
	return async (model) => {
		const named = namedModel(config);
		// The same provider has the same keys: what one of them must rest from, all must.
		if (isSame(named, main)) return { ...main, model: named.model || model };
		opened ??= openNamed(cli, { config, named, main });
		try {
			return await opened;
		} catch (cause) {
			opened = undefined;
			throw cause;
		}
	};
}

/** An endpoint is what its address says, whatever it is called. */
function isSame({ provider, baseUrl }: NamedModel, main: OpenedProvider): boolean {
	if (baseUrl !== "") return baseUrl === main.baseUrl && (provider === "" || provider === main.id);
	return provider === "" || provider === "auto" || provider === "main" || provider === main.id;
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
