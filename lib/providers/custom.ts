/** Any OpenAI-compatible chat-completions endpoint: a hosted one, or a local server such as Ollama, vLLM or llama.cpp. */

import { defineProvider, ProviderRefused } from "./provider.ts";
import { openChatClient } from "./wire/chat-client.ts";

const keyName = "OPENAI_API_KEY";

export default defineProvider({
	id: "custom",
	aliases: ["ollama", "vllm", "llamacpp", "local"],
	description: "Any OpenAI-compatible chat-completions endpoint, given by --base-url",
	keyNames: [keyName],

	open: async ({ baseUrl, apiKey, stallSeconds }) =>
		openChatClient({
			baseUrl: checkedUrl(baseUrl),
			keyName,
			stallSeconds,
			...(apiKey === undefined ? {} : { apiKey: checkedKey(apiKey) }),
		}),
});

function checkedUrl(text: string | undefined): string {
	if (text === undefined || text.trim() === "") {
		throw new ProviderRefused(
			"settings",
			"Cannot use provider custom: no address was given; pass --base-url, for example --base-url http://127.0.0.1:11434/v1",
		);
	}
	const url = URL.parse(text.trim());
	if (url === null || !["http:", "https:"].includes(url.protocol)) {
		throw new ProviderRefused(
			"settings",
			`Cannot use the base URL ${JSON.stringify(text)}: it is not an http or https address`,
		);
	}
	if (url.username !== "" || url.password !== "") {
		throw new ProviderRefused("settings", `Cannot use the base URL: it holds a password; give the key in ${keyName}`);
	}
	if (url.search !== "" || url.hash !== "") {
		throw new ProviderRefused(
			"settings",
			`Cannot use the base URL ${JSON.stringify(text)}: it may not have a query or a fragment`,
		);
	}
	return url.href.replace(/\/+(chat\/completions\/*)?$/, "");
}

/** A key with other characters than these cannot be sent in a header (#6843). */
function checkedKey(key: string): string {
	const trimmed = key.trim();
	if (/^[\x21-\x7e]+$/.test(trimmed)) return trimmed;
	throw new ProviderRefused(
		"settings",
		`Cannot use the key in ${keyName}: it is empty or has characters that no key has; copy it again`,
	);
}
