/** xAI: the Grok models, over Responses. */

import { defineHosted } from "./hosted.ts";
import { withoutSlashes } from "./wire/grok-schema.ts";
import { openResponsesClient } from "./wire/responses-client.ts";

export default defineHosted({
	id: "xai",
	aliases: ["grok"],
	description: "xAI: the Grok models",
	keyNames: ["XAI_API_KEY"],
	baseUrl: "https://api.x.ai/v1",
	baseUrlNames: ["XAI_BASE_URL"],
	models: ["grok-4.3", "grok-4.5"],
	connect: (settings) =>
		openResponsesClient(settings, {
			cacheKey: false,
			headers: ({ cacheKey }) => (cacheKey === undefined ? {} : { "x-grok-conv-id": cacheKey }),
			tools: (tools) => tools.map(withoutSlashes),
			takesEffort: (model) => /grok-(?:3-mini|4\.[3-9])/.test(model),
		}),
});
