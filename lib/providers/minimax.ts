/** MiniMax, over the Anthropic wire. */

import { defineHosted } from "./hosted.ts";
import { openAnthropicClient } from "./wire/anthropic-client.ts";

export default defineHosted({
	id: "minimax",
	description: "MiniMax (MINIMAX_BASE_URL for the Chinese address)",
	keyNames: ["MINIMAX_API_KEY"],
	baseUrl: "https://api.minimax.io/anthropic",
	baseUrlNames: ["MINIMAX_BASE_URL"],
	models: ["MiniMax-M3", "MiniMax-M2.7"],
	connect: (settings) => openAnthropicClient(settings, { keepsNames: true }),
});
