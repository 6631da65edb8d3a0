/** Anthropic's own API. Keys only: tokens of a subscription are made for another program, and are refused here. */

import { defineHosted } from "./hosted.ts";
import { ProviderRefused } from "./provider.ts";
import { openAnthropicClient } from "./wire/anthropic-client.ts";

export default defineHosted({
	id: "anthropic",
	aliases: ["claude"],
	description: "Anthropic's API",
	keyNames: ["ANTHROPIC_API_KEY"],
	baseUrl: "https://api.anthropic.com",
	baseUrlNames: ["ANTHROPIC_BASE_URL"],
	models: ["claude-sonnet-4-6", "claude-opus-4-6", "claude-haiku-4-5"],
	connect: (settings) => {
		if (settings.apiKey?.startsWith("sk-ant-oat")) {
			throw new ProviderRefused(
				"settings",
				`Cannot use the token in ${settings.keyName}: it belongs to a subscription, which Anthropic gives to its own programs; make an API key instead`,
			);
		}
		return openAnthropicClient({ ...settings, baseUrl: settings.baseUrl.replace(/\/v1$/, "") });
	},
});
