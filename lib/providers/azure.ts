/** Models in an Azure resource of the user's own, with a key, over chat completions or the Anthropic wire. */

import { checkedKey, checkedUrl } from "./checked-settings.ts";
import { sharedSettings } from "./hosted.ts";
import { defineProvider, ProviderRefused } from "./provider.ts";
import { openAnthropicClient } from "./wire/anthropic-client.ts";
import { openChatClient } from "./wire/chat-client.ts";

const keyName = "AZURE_FOUNDRY_API_KEY";

export default defineProvider({
	id: "azure",
	aliases: ["azure-foundry"],
	description: "Models in your Azure resource (AZURE_FOUNDRY_BASE_URL, ending in /openai/v1 or /anthropic)",
	keyNames: [keyName, "AZURE_OPENAI_API_KEY"],
	baseUrlNames: ["AZURE_FOUNDRY_BASE_URL"],

	async open(settings) {
		const { apiKey, baseUrl, keySource = keyName } = settings;
		if (baseUrl === undefined || apiKey === undefined) {
			const missing = baseUrl === undefined ? "address; set AZURE_FOUNDRY_BASE_URL" : `key; set ${keyName}`;
			throw new ProviderRefused("settings", `Cannot use provider azure: it has no ${missing}`);
		}
		const url = checkedUrl(baseUrl, keySource);
		const key = checkedKey(apiKey, keySource);
		const wire = { ...sharedSettings(settings), provider: "azure", baseUrl: url, apiKey: key, keyName: keySource };
		if (/\/anthropic$/.test(url)) return openAnthropicClient(wire, { keepsNames: true });
		return openChatClient(
			{ ...wire, keyHeader: "api-key" },
			{
				outputLimit: "max_completion_tokens",
				extraBody: ({ effort }) => (effort === undefined ? {} : { reasoning_effort: effort }),
			},
		);
	},
});
