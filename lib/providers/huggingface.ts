/** The router of Hugging Face: open models at many hosts. */

import { defineHosted } from "./hosted.ts";
import { openChatClient } from "./wire/chat-client.ts";
import { plainEffort } from "./wire/plain-effort.ts";

export default defineHosted({
	id: "huggingface",
	aliases: ["hf"],
	description: "Hugging Face: open models at many hosts",
	keyNames: ["HF_TOKEN", "HUGGINGFACE_API_KEY"],
	baseUrl: "https://router.huggingface.co/v1",
	baseUrlNames: ["HF_BASE_URL"],
	models: ["Qwen/Qwen3-Coder-480B-A35B-Instruct", "deepseek-ai/DeepSeek-V3.2", "zai-org/GLM-5"],
	connect: (settings) => openChatClient(settings, { extraBody: plainEffort }),
});
