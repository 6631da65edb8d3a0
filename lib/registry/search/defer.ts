/** Which tools are left out of the list that a model sees, to be found by search instead. */

import type { ToolDefinition } from "../definitions.ts";
import { coreTools } from "../toolset-table.ts";
import { bridgeNames } from "./bridge-names.ts";
import { bridgeDefinitions } from "./bridges.ts";
import type { SearchSettings } from "./settings.ts";

/** Tokens that deferrable tools may take when the size of the context is unknown. */
const unknownContextTokens = 20_000;
const charactersPerToken = 4;
const core = new Set(coreTools);

/** The list as a model sees it, and what is behind the search. */
export interface Split {
	readonly shown: readonly ToolDefinition[];
	readonly deferred: readonly ToolDefinition[];
}

/** How the list is split. */
export interface SplitRequest {
	readonly definitions: readonly ToolDefinition[];
	readonly settings: SearchSettings;
	readonly contextTokens: number | undefined;
	/** Names that are in the registry: only those can be called through the bridge. */
	isRegistered(name: string): boolean;
}

/** Everything is shown when search is off, not worth it, or has nothing to hide. Splitting twice is the same as once. */
export function splitDefinitions({ definitions, settings, contextTokens, isRegistered }: SplitRequest): Split {
	const real = definitions.filter(({ name }) => !bridgeNames.has(name));
	const deferred = real.filter(({ name }) => isRegistered(name) && !core.has(name));
	if (!isWorthIt(deferred, settings, contextTokens)) return { shown: real, deferred: [] };
	const visible = real.filter((definition) => !deferred.includes(definition));
	return { shown: [...visible, ...bridgeDefinitions(deferred.length, settings)], deferred };
}

function isWorthIt(
	deferred: readonly ToolDefinition[],
	settings: SearchSettings,
	contextTokens: number | undefined,
): boolean {
	if (settings.enabled === "off" || deferred.length === 0) return false;
	if (settings.enabled === "on") return true;
	const cost = Math.ceil(deferred.reduce((sum, each) => sum + JSON.stringify(each).length, 0) / charactersPerToken);
	const allowed =
		contextTokens === undefined ? unknownContextTokens : (contextTokens * settings.thresholdPercent) / 100;
	return cost >= allowed;
}
