/** Amazon Bedrock, with one of its API keys, over the chat completions that it offers itself. */

import { checkedKey, checkedUrl } from "./checked-settings.ts";
import { sharedSettings } from "./hosted.ts";
import { defineProvider, ProviderRefused } from "./provider.ts";
import { openChatClient } from "./wire/chat-client.ts";

const keyName = "AWS_BEARER_TOKEN_BEDROCK";

export default defineProvider({
	id: "bedrock",
	aliases: ["aws"],
	description: "Amazon Bedrock with an API key of its own (AWS_REGION says where)",
	keyNames: [keyName],
	baseUrlNames: ["BEDROCK_BASE_URL"],
	baseUrlIn: ({ AWS_REGION: region }) =>
		region === undefined || !/^[a-z0-9-]+$/.test(region)
			? undefined
			: `https://bedrock-runtime.${region}.amazonaws.com/openai/v1`,

	async open(settings) {
		const { apiKey, baseUrl, keySource = keyName } = settings;
		if (apiKey === undefined || baseUrl === undefined) {
			const missing = apiKey === undefined ? `key; set ${keyName}` : "address; set AWS_REGION or BEDROCK_BASE_URL";
			throw new ProviderRefused("settings", `Cannot use provider bedrock: it has no ${missing}`);
		}
		return openChatClient({
			...sharedSettings(settings),
			provider: "bedrock",
			baseUrl: checkedUrl(baseUrl, keySource),
			apiKey: checkedKey(apiKey, keySource),
			keyName: keySource,
		});
	},
});
