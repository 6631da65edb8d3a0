/** Models in an Azure resource of the user's own, with a key or a login of Entra ID, over chat completions or the Anthropic wire. */

import { createEntraAccess, entraVariables } from "./auth/entra-token.ts";
import { checkedKey, checkedUrl } from "./checked-settings.ts";
import { sharedSettings } from "./hosted.ts";
import { defineProvider, ProviderRefused, type ProviderSettings } from "./provider.ts";
import { openAnthropicClient } from "./wire/anthropic-client.ts";
import { openChatClient } from "./wire/chat-client.ts";
import type { WireSettings } from "./wire/wire-settings.ts";

const keyName = "AZURE_FOUNDRY_API_KEY";

export default defineProvider({
	id: "azure",
	aliases: ["azure-foundry"],
	description: "Models in your Azure resource (AZURE_FOUNDRY_BASE_URL, ending in /openai/v1 or /anthropic)",
	keyNames: [keyName, "AZURE_OPENAI_API_KEY"],
	variableNames: entraVariables,
	baseUrlNames: ["AZURE_FOUNDRY_BASE_URL"],

	async open(settings) {
		const { baseUrl, keySource = keyName } = settings;
		if (baseUrl === undefined) {
			throw new ProviderRefused("settings", "Cannot use provider azure: it has no address; set AZURE_FOUNDRY_BASE_URL");
		}
		const url = checkedUrl(baseUrl, keySource);
		const wire = { ...sharedSettings(settings), provider: "azure", baseUrl: url };
		// Each scope is that of the maker's own SDK.
		if (/\/anthropic$/.test(url)) {
			const access = accessOf(settings, "https://ai.azure.com/.default");
			return openAnthropicClient({ ...wire, ...access }, { keepsNames: true });
		}
		const access = accessOf(settings, "https://cognitiveservices.azure.com/.default");
		return openChatClient(
			{ ...wire, ...access, keyHeader: "api-key" },
			{
				outputLimit: "max_completion_tokens",
				extraBody: ({ effort }) => (effort === undefined ? {} : { reasoning_effort: effort }),
			},
		);
	},
});

/** A key, where there is one; else every request carries a token. */
function accessOf(
	{ apiKey, keySource = keyName, variables = {} }: ProviderSettings,
	scope: string,
): Pick<WireSettings, "apiKey" | "keyName" | "sign"> {
	if (apiKey !== undefined) return { apiKey: checkedKey(apiKey, keySource), keyName: keySource };
	return { keyName: "your login at Azure", sign: createEntraAccess({ scope, variables }) };
}
