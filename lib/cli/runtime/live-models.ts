/** The models that a service says it has now, so that a choice shows neither what is gone nor misses what is new. */

import type { LoadedConfig } from "../../config/load.ts";
import { listModels } from "../../providers/list-models.ts";
import { networkOf } from "../../providers/network.ts";
import type { Provider } from "../../providers/provider.ts";
import type { Cli } from "../subcommand.ts";
import { ownKeys } from "./open-client.ts";
import { ownsConfiguredKey, providerAddress } from "./provider-address.ts";

/** What came of asking. */
export type LiveModels =
	| { readonly kind: "listed"; readonly models: readonly string[] }
	/** It has no address or no key, or no such list: there is nothing to be told. */
	| { readonly kind: "not asked" }
	/** One sentence. */
	| { readonly kind: "failed"; readonly why: string };

/** A person waits. */
const limitMs = 4_000;

/** Models of services that answer no questions. */
const otherWork =
	/embed|tts|whisper|transcribe|dall-e|image|imagen|veo|sora|moderation|realtime|rerank|audio|babbage|davinci|aqa/i;

/** Asks with the key that a conversation would be held with, at the same address. */
export async function askForModels(cli: Cli, config: LoadedConfig, provider: Provider): Promise<LiveModels> {
	const named = providerAddress(provider, config);
	const configured = (ownsConfiguredKey(provider, config, named) && config.get("model.api_key")) || undefined;
	const [first] = configured === undefined ? ownKeys(cli, { provider, config, baseUrl: named, name: provider.id }) : [];
	const baseUrl = first?.baseUrl ?? named ?? provider.baseUrl;
	const apiKey = configured ?? first?.secret;
	if (baseUrl === undefined || (apiKey === undefined && provider.id !== "custom")) return { kind: "not asked" };
	const network = networkOf(config.variables);
	const answer = await listModels({
		...{ provider: provider.id, baseUrl, apiKey, network },
		signal: AbortSignal.any([cli.interruption.signal, AbortSignal.timeout(limitMs)]),
	});
	switch (answer.kind) {
		case "listed":
			return answer.models.length === 0 ? { kind: "not asked" } : { kind: "listed", models: chatModels(answer.models) };
		case "no list":
			return { kind: "not asked" };
		case "key refused":
			return { kind: "failed", why: `it refuses the key (${answer.status})` };
		case "unreachable":
			return { kind: "failed", why: answer.reason };
	}
}

function chatModels(models: readonly string[]): readonly string[] {
	return [...new Set(models)].filter((model) => !otherWork.test(model));
}
