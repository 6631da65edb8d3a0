/** How much a model can hold, as the user says it. */

import type { LoadedConfig } from "../../config/load.ts";

/**
 * Tokens; 0 when nothing is said of `model`. `model.context_length` is that of the model that it is written beside: `/model`,
 * `-m` and `fallback_providers` may ask another one.
 */
export function namedWindow(config: LoadedConfig, model: string): number {
	const beside = config.file.values.get("model.default")?.value;
	const isMeant = typeof beside !== "string" || beside === "" || beside === model;
	return isMeant ? config.get("model.context_length") : 0;
}
