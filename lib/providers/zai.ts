/** Z.ai: the GLM models. Keys of the Chinese or the coding plan need their own address. */

import { defineHosted } from "./hosted.ts";
import { openChatClient } from "./wire/chat-client.ts";

export default defineHosted({
	id: "zai",
	aliases: ["glm", "zhipu"],
	description: "Z.ai: the GLM models (GLM_BASE_URL for the Chinese address or the coding plan)",
	keyNames: ["GLM_API_KEY", "ZAI_API_KEY", "Z_AI_API_KEY"],
	baseUrl: "https://api.z.ai/api/paas/v4",
	baseUrlNames: ["GLM_BASE_URL"],
	models: ["glm-5.2", "glm-5.3", "glm-4.7"],
	connect: (settings) =>
		openChatClient(settings, {
			echoesReasoning: (model) => /glm-(?:4\.[67]|[5-9])/i.test(model),
			extraBody: ({ effort }) =>
				effort === undefined ? {} : { thinking: { type: effort === "none" ? "disabled" : "enabled" } },
		}),
});
