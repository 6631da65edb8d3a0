/** OpenAI's own API, over its Responses. */

import { defineHosted } from "./hosted.ts";
import { openResponsesClient } from "./wire/responses-client.ts";

export default defineHosted({
	id: "openai",
	aliases: ["openai-api"],
	description: "OpenAI's API",
	keyNames: ["OPENAI_API_KEY"],
	baseUrl: "https://api.openai.com/v1",
	baseUrlNames: ["OPENAI_BASE_URL"],
	models: ["gpt-5.4", "gpt-5.4-mini", "gpt-5", "gpt-4.1"],
	connect: (settings) =>
		openResponsesClient(settings, { takesEffort: (model) => /^(?:gpt-[5-9]|o\d|codex)/.test(model) }),
});
