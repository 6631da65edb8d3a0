/** Conversations as resources: what the user of an MCP client attaches to another conversation, without a call. */

import type { Store } from "../../../store/store.ts";
import type { ServedResources } from "../served.ts";
import { CallRefused } from "./arguments.ts";
import { listConversations, type Redact, readMessages, type ShownMessage } from "./conversations.ts";

const prefix = "hermes://conversations/";
const mimeType = "text/markdown";
/** Conversations that are listed; others are found by their key. */
const mostListed = 200;
/** Messages that one resource shows, the newest. */
const mostMessages = 200;

/** Those of `store`, without secrets. */
export function conversationResources({
	store,
	redact,
}: {
	readonly store: Store;
	readonly redact: Redact;
}): ServedResources {
	return {
		templates: [
			{
				uriTemplate: `${prefix}{session_key}`,
				name: "conversation",
				description: "The newest messages of a conversation, by its session_key",
				mimeType,
			},
		],
		async list() {
			const { conversations } = listConversations(store, { platform: undefined, search: undefined, limit: mostListed });
			return conversations.map(({ session_key: key, display_name: title, platform, updated_at: at }) => ({
				uri: `${prefix}${encodeURIComponent(key)}`,
				name: key,
				title: redact(title),
				description: `On ${platform}, last said ${at}`,
				mimeType,
			}));
		},
		async read(uri) {
			const key = keyOf(uri);
			if (key === undefined) return undefined;
			try {
				const { messages } = readMessages(store, key, { limit: mostMessages, redact });
				return { text: messages.map(shown).join("\n\n"), mimeType };
			} catch (cause) {
				if (cause instanceof CallRefused) return undefined;
				throw cause;
			}
		},
	};
}

function keyOf(uri: string): string | undefined {
	if (!uri.startsWith(prefix)) return undefined;
	try {
		return decodeURIComponent(uri.slice(prefix.length));
	} catch (cause) {
		if (cause instanceof URIError) return undefined;
		throw cause;
	}
}

function shown({ role, content, timestamp }: ShownMessage): string {
	return `**${role}** (${timestamp})\n\n${content}`;
}
