/** What a scenario of the conformance suite needs besides the address of its server. */

import type { ClientFeature, ClientParts } from "../../../lib/mcp/client-parts.ts";

/** Settings beside `url`, and who answers the server. */
export interface ScenarioParts {
	readonly entry?: Readonly<Record<string, unknown>>;
	readonly parts?: ClientParts;
}

/** `context` is what the suite tells a client of a scenario: ids and secrets that were registered before. */
export async function partsFor(scenario: string, _context: Readonly<Record<string, unknown>>): Promise<ScenarioParts> {
	if (!scenario.startsWith("elicitation")) return {};
	return { parts: { features: () => [answersWithDefaults] } };
}

const answersWithDefaults: ClientFeature = {
	capabilities: { elicitation: { form: { applyDefaults: true } } },
	async attach(client) {
		const { ElicitRequestSchema } = await import("@modelcontextprotocol/sdk/types.js");
		client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: {} }));
	},
};
