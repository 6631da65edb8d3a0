/** Kimi of Moonshot AI. Keys of its coding plan belong to another address. */

import { defineHosted } from "./hosted.ts";
import { openChatClient } from "./wire/chat-client.ts";

export default defineHosted({
	id: "kimi",
	aliases: ["kimi-coding", "moonshot"],
	description: "Kimi of Moonshot AI (KIMI_CN_API_KEY for a key of the Chinese address)",
	keyNames: ["KIMI_API_KEY", "KIMI_CODING_API_KEY", "MOONSHOT_API_KEY", "KIMI_CN_API_KEY"],
	keyAddresses: { KIMI_CN_API_KEY: "https://api.moonshot.cn/v1" },
	baseUrl: "https://api.moonshot.ai/v1",
	baseUrlNames: ["KIMI_BASE_URL"],
	models: ["kimi-k2.6", "kimi-k3"],
	urlFor: (apiKey) => (apiKey.startsWith("sk-kimi-") ? "https://api.kimi.com/coding/v1" : "https://api.moonshot.ai/v1"),
	connect: (settings) =>
		openChatClient(settings, {
			mostOutputTokens: 32_000,
			echoesReasoning: () => true,
			// The service refuses an effort beside the switch.
			extraBody: ({ effort }) =>
				effort === undefined ? {} : { thinking: { type: effort === "none" ? "disabled" : "enabled" } },
		}),
});
