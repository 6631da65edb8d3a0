/** Which providers answer faster for more money, and what is asked of them. */

/** Who is asked, and for which model. */
export interface FastRoute {
	readonly id: string;
	readonly baseUrl?: string | undefined;
	readonly model: string;
}

/** Models of Anthropic that can; the list is that of their documentation of fast mode. */
const fastClaude = /claude-opus-4[-.][67]/;

/** Fields of the body that ask for it; undefined where it is not offered. A copy of an API elsewhere offers nothing. */
export function fastFields({ id, baseUrl, model }: FastRoute): Readonly<Record<string, string>> | undefined {
	const host = baseUrl === undefined ? undefined : new URL(baseUrl).hostname;
	if (id === "openai" && host === "api.openai.com") return { service_tier: "priority" };
	if (id === "anthropic" && host === "api.anthropic.com" && fastClaude.test(model)) return { speed: "fast" };
	return undefined;
}
