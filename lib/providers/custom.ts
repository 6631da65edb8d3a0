/** Any endpoint of the user's choice: a hosted one, or a local server such as Ollama, vLLM or llama.cpp. */

import { checkedKey, checkedUrl } from "./checked-settings.ts";
import { sharedSettings } from "./hosted.ts";
import { findLocalServer, localServers } from "./local-servers.ts";
import { defineProvider, ProviderRefused } from "./provider.ts";
import { openWire } from "./wire/open-wire.ts";

/** The second name is the one that many servers ask their users to set. */
const keyNames = ["CUSTOM_API_KEY", "OPENAI_API_KEY"] as const;
const [keyName] = keyNames;

export default defineProvider({
	id: "custom",
	aliases: ["local", ...localServers.map(({ name }) => name)],
	description: "Any OpenAI-compatible endpoint, given by --base-url, or a model server on this machine",
	keyNames,
	baseUrlNames: ["OPENAI_BASE_URL"],

	async open(settings) {
		const { baseUrl, apiKey, wire = "chat-completions", keySource = keyName } = settings;
		const url = checkedUrl(baseUrl?.trim() || (await localUrl(settings.preset)), keySource);
		return openWire(wire, {
			...sharedSettings(settings),
			// Two endpoints are two providers: what one put beside its answers is nothing for the other.
			provider: `custom:${new URL(url).host}`,
			baseUrl: url,
			keyName: keySource,
			...(apiKey !== undefined && { apiKey: checkedKey(apiKey, keySource) }),
		});
	},
});

/** The address of the server that was named, or of the one that answers. */
async function localUrl(preset: string | undefined): Promise<string> {
	if (preset !== undefined) {
		const found = await findLocalServer(preset);
		if (found !== undefined) return found.baseUrl;
	}
	throw new ProviderRefused(
		"settings",
		preset === undefined
			? "Cannot use provider custom: no address was given; pass --base-url, for example --base-url http://127.0.0.1:11434/v1"
			: `Cannot use ${preset}: no model server answers on its port of this machine; start it, or pass --base-url`,
	);
}
