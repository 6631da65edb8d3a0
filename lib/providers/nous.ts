/** Nous Portal, with a key of its own. Its login belongs to another program's client and is not used here. */

import { defineHosted } from "./hosted.ts";
import { openChatClient } from "./wire/chat-client.ts";
import { openRouterReasoning } from "./wire/open-router-reasoning.ts";

export default defineHosted({
	id: "nous",
	description: "Nous Research's inference API",
	keyNames: ["NOUS_API_KEY"],
	baseUrl: "https://inference-api.nousresearch.com/v1",
	baseUrlNames: ["NOUS_BASE_URL"],
	models: ["Hermes-4-405B", "Hermes-4-70B"],
	connect: (settings) =>
		openChatClient(settings, {
			marksCache: (model) => /claude|qwen/i.test(model),
			extraBody: (request) => (request.effort === "none" ? {} : openRouterReasoning(request)),
		}),
});
