/** MiniMax, over the Anthropic wire. */

import { defineHosted } from "./hosted.ts";
import { openAnthropicClient } from "./wire/anthropic-client.ts";

export default defineHosted({
	id: "minimax",
	description: "MiniMax (MINIMAX_CN_API_KEY for a key of the Chinese address)",
	keyNames: ["MINIMAX_API_KEY", "MINIMAX_CN_API_KEY"],
	keyAddresses: { MINIMAX_CN_API_KEY: "https://api.minimaxi.com/anthropic" },
	baseUrl: "https://api.minimax.io/anthropic",
	baseUrlNames: ["MINIMAX_BASE_URL"],
	models: ["MiniMax-M3", "MiniMax-M2.7"],
	connect: (settings) => openAnthropicClient(settings, { keepsNames: true }),
});
