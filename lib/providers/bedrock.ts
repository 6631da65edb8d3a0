/**
 * Amazon Bedrock, with one of its API keys or with AWS credentials: Claude over the Anthropic wire, other models over the chat
 * completions that it offers itself.
 */

import { awsVariables, createAwsSigner } from "./auth/aws-signature.ts";
import { checkedKey, checkedUrl } from "./checked-settings.ts";
import { sharedSettings } from "./hosted.ts";
import { defineProvider, type ModelClient, ProviderRefused, type ProviderSettings } from "./provider.ts";
import { openAnthropicClient } from "./wire/anthropic-client.ts";
import { openChatClient } from "./wire/chat-client.ts";
import { plainEffort } from "./wire/plain-effort.ts";
import type { WireSettings } from "./wire/wire-settings.ts";

const keyName = "AWS_BEARER_TOKEN_BEDROCK";

export default defineProvider({
	id: "bedrock",
	aliases: ["aws"],
	description: `Amazon Bedrock with ${keyName} or AWS credentials (AWS_REGION says where)`,
	keyNames: [keyName],
	variableNames: [...awsVariables, "AWS_REGION", "AWS_DEFAULT_REGION"],
	baseUrlNames: ["BEDROCK_BASE_URL"],
	baseUrlIn: ({ AWS_REGION, AWS_DEFAULT_REGION }) => {
		const region = AWS_REGION?.trim() || AWS_DEFAULT_REGION?.trim() || "";
		return /^[a-z0-9-]+$/.test(region) ? `https://bedrock-runtime.${region}.amazonaws.com` : undefined;
	},

	async open(settings) {
		const { baseUrl, keySource = keyName } = settings;
		if (baseUrl === undefined) {
			throw new ProviderRefused(
				"settings",
				"Cannot use provider bedrock: it has no address; set AWS_REGION or BEDROCK_BASE_URL",
			);
		}
		const url = new URL(checkedUrl(baseUrl, keySource));
		const wire = { ...sharedSettings(settings), provider: "bedrock", ...access(settings, url) };
		const [claude, others] = await Promise.all([
			openAnthropicClient({ ...wire, baseUrl: surface(url, "anthropic") }, { keepsNames: true, takesBearer: true }),
			openChatClient({ ...wire, baseUrl: surface(url, "openai/v1") }, { extraBody: plainEffort }),
		]);
		return {
			complete: (request, signal) => (isClaude(request.model) ? claude : others).complete(request, signal),
		} satisfies ModelClient;
	},
});

/** `us.anthropic.claude-sonnet-4-6`, or a profile of the user's own that says so. */
function isClaude(model: string): boolean {
	return /anthropic|claude/i.test(model);
}

/** An address that names one of the two languages is the address of both. */
function surface(url: URL, path: string): string {
	return url.href.replace(/\/(?:(?:openai\/)?v1|anthropic(?:\/v1)?)?\/?$/, `/${path}`);
}

/** A key, where there is one; else every request is signed. */
function access(
	{ apiKey, keySource = keyName, variables = {} }: ProviderSettings,
	url: URL,
): Pick<WireSettings, "apiKey" | "keyName" | "sign"> {
	if (apiKey !== undefined) return { apiKey: checkedKey(apiKey, keySource), keyName: keySource };
	const [, service, named] = /^(bedrock(?:-mantle|-runtime)?)[^.]*\.([a-z0-9-]+)\./.exec(url.hostname) ?? [];
	const region = named ?? variables.AWS_REGION ?? variables.AWS_DEFAULT_REGION;
	if (region === undefined) {
		throw new ProviderRefused("settings", "Cannot sign requests to Bedrock: no region is known; set AWS_REGION");
	}
	// Both names are those of the services' own SDKs.
	const sign = createAwsSigner({ region, service: service === "bedrock-mantle" ? service : "bedrock", variables });
	return { keyName: "your AWS credentials", sign };
}
