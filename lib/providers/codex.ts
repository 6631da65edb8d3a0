/** OpenAI's models for coding, over Responses and with an API key. The login of ChatGPT belongs to another program and is not used. */

import { defineHosted } from "./hosted.ts";
import { openResponsesClient } from "./wire/responses-client.ts";

export default defineHosted({
	id: "codex",
	aliases: ["openai-codex"],
	description: "OpenAI's models for coding, with an API key",
	keyNames: ["CODEX_API_KEY", "OPENAI_API_KEY"],
	baseUrl: "https://api.openai.com/v1",
	baseUrlNames: ["CODEX_BASE_URL"],
	models: ["gpt-5.3-codex", "gpt-5.3-codex-spark"],
	connect: (settings) => openResponsesClient(settings),
});
