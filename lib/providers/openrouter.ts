/** OpenRouter: many vendors' models behind one key. */

import { openRouterLogin } from "./auth/open-router-login.ts";
import { defineHosted } from "./hosted.ts";
import type { ModelRequest } from "./provider.ts";
import { openChatClient } from "./wire/chat-client.ts";
import { openRouterReasoning } from "./wire/open-router-reasoning.ts";

export default defineHosted({
	id: "openrouter",
	aliases: ["or"],
	description: "OpenRouter: models of many vendors behind one key",
	keyNames: ["OPENROUTER_API_KEY"],
	baseUrl: "https://openrouter.ai/api/v1",
	baseUrlNames: ["OPENROUTER_BASE_URL"],
	models: [
		"anthropic/claude-sonnet-4.6",
		"anthropic/claude-opus-4.6",
		"openai/gpt-5.4",
		"google/gemini-3.1-pro-preview",
	],
	headers: { "x-title": "hermes" },
	login: openRouterLogin,
	connect: (settings) =>
		openChatClient(settings, {
			marksCache: (model) => model.includes("claude"),
			extraBody: (request: ModelRequest) => ({
				...openRouterReasoning(request),
				...(request.cacheKey !== undefined && { session_id: request.cacheKey }),
				usage: { include: true },
			}),
		}),
});
