/** How OpenRouter, and services that follow it, are told how much a model is to think. */

import type { ModelRequest } from "../provider.ts";

/** Fields of the body; none where the model decides for itself (#42991). */
export function openRouterReasoning({ model, effort }: ModelRequest): Readonly<Record<string, unknown>> {
	if (effort === undefined || isAdaptiveClaude(model)) return {};
	return { reasoning: effort === "none" ? { enabled: false } : { effort } };
}

/** Claude from 4.6 on. */
function isAdaptiveClaude(model: string): boolean {
	const [, major = "0", minor = "0"] = /claude-[a-z]+-(\d+)(?:[.-](\d{1,2}))?(?!\d)/.exec(model) ?? [];
	return Number(major) > 4 || (Number(major) === 4 && Number(minor) >= 6);
}
