/** DeepSeek's own API. */

import { defineHosted } from "./hosted.ts";
import { openChatClient } from "./wire/chat-client.ts";

export default defineHosted({
	id: "deepseek",
	description: "DeepSeek's API",
	keyNames: ["DEEPSEEK_API_KEY"],
	baseUrl: "https://api.deepseek.com/v1",
	baseUrlNames: ["DEEPSEEK_BASE_URL"],
	models: ["deepseek-v4-pro", "deepseek-flash"],
	connect: (settings) =>
		openChatClient(settings, {
			echoesReasoning: () => true,
			extraBody: ({ effort }) => {
				if (effort === undefined) return {};
				if (effort === "none") return { thinking: { type: "disabled" } };
				return { thinking: { type: "enabled" }, reasoning_effort: effort === "xhigh" ? "max" : effort };
			},
		}),
});
