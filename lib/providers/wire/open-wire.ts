/** A client by the name of its wire, for endpoints of which nothing more is known. */

import type { ModelClient, WireName } from "../provider.ts";
import { openAnthropicClient } from "./anthropic-client.ts";
import { openChatClient } from "./chat-client.ts";
import { openGeminiClient } from "./gemini-client.ts";
import { plainEffort } from "./plain-effort.ts";
import { openResponsesClient } from "./responses-client.ts";
import type { WireSettings } from "./wire-settings.ts";

/** Nothing is sent before the first request. */
export function openWire(wire: WireName, settings: WireSettings): Promise<ModelClient> {
	switch (wire) {
		case "chat-completions":
			return openChatClient(settings, { extraBody: plainEffort });
		case "responses":
			return openResponsesClient(settings);
		case "anthropic-messages":
			return openAnthropicClient(settings, { keepsNames: true });
		case "gemini":
			return openGeminiClient(settings);
	}
}
