/** How servers that follow OpenAI's chat completions, without being it, are told how much a model is to think. */

import type { ModelRequest, ReasoningEffort } from "../provider.ts";

/** The words that all of them know; some refuse a request with any other. */
const words: Readonly<Record<ReasoningEffort, string>> = {
	none: "none",
	minimal: "low",
	low: "low",
	medium: "medium",
	high: "high",
	xhigh: "high",
};

/** Fields of the body; none as long as the user does not say, because not every model can be told. */
export function plainEffort({ effort }: ModelRequest): Readonly<Record<string, unknown>> {
	return effort === undefined ? {} : { reasoning_effort: words[effort] };
}
