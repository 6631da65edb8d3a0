/** The three tools that stand in for deferred ones: search, describe, and the way to call one. */

import { readJson } from "../arguments/read-json.ts";
import { cutEnd } from "../cut-text.ts";
import type { ToolDefinition } from "../definitions.ts";
import { isNode } from "../schema/nodes.ts";
import { type Tool, type ToolAnswer, toolError, toolResult } from "../tool.ts";
import { bridgeNames, callTool, describeTool, searchTool } from "./bridge-names.ts";
import { rank } from "./rank.ts";
import type { SearchSettings } from "./settings.ts";

/** What this session can find. It is made from the session's own list, so the bridge widens nothing. */
export interface Catalogue {
	readonly deferred: readonly ToolDefinition[];
	readonly settings: SearchSettings;
	/** The tool of a name, for where it comes from. */
	get(name: string): Tool | undefined;
}

/** What a call of a bridge comes to: an answer, or the real call. */
export type Bridged =
	| { readonly kind: "answer"; readonly answer: ToolAnswer }
	| { readonly kind: "call"; readonly name: string; readonly arguments: Readonly<Record<string, unknown>> };

const longestDescription = 400;

/** The bridges as a model sees them, when `count` tools are behind them. */
export function bridgeDefinitions(count: number, { mostResults }: SearchSettings): ToolDefinition[] {
	const name = { type: "string", description: "Name of the tool" };
	return [
		{
			name: searchTool,
			description: `Find more tools: ${count} are not listed here. Search by what you want to do.`,
			parameters: {
				type: "object",
				properties: {
					query: { type: "string", description: "Words for the task, the service or the tool" },
					limit: { type: "integer", description: `Results, at most ${mostResults}` },
				},
				required: ["query"],
			},
		},
		{
			name: describeTool,
			description: "Show the arguments of a tool that tool_search has found.",
			parameters: { type: "object", properties: { name }, required: ["name"] },
		},
		{
			name: callTool,
			description: "Call a tool that tool_search has found.",
			parameters: {
				type: "object",
				properties: { name, arguments: { type: "object", description: "Its arguments", properties: {} } },
				required: ["name"],
			},
		},
	];
}

/** What the call `bridge` with `args` means in this session. */
export function crossBridge(bridge: string, args: Readonly<Record<string, unknown>>, catalogue: Catalogue): Bridged {
	if (bridge === searchTool) return answered(search(args, catalogue));
	const name = typeof args.name === "string" ? args.name.trim() : "";
	const refusal = refusalOf(name, catalogue);
	if (refusal !== undefined) return answered(toolError(refusal));
	return bridge === describeTool ? answered(describe(name, catalogue)) : callOf(name, args);
}

function answered(answer: ToolAnswer): Bridged {
	return { kind: "answer", answer };
}

function search({ query, limit }: Readonly<Record<string, unknown>>, catalogue: Catalogue): ToolAnswer {
	if (typeof query !== "string" || query.trim() === "") return toolError("Cannot search for tools: the query is empty");
	const { deferred, settings } = catalogue;
	const wanted = Number(limit ?? settings.defaultLimit);
	const most = Math.min(Math.max(Math.trunc(wanted) || settings.defaultLimit, 1), settings.mostResults);
	const entries = deferred.map((definition) => ({ key: definition.name, text: searchText(definition), definition }));
	const ranked = rank(query, entries);
	const lower = query.trim().toLowerCase();
	const found = ranked.length > 0 ? ranked : entries.filter(({ key }) => key.toLowerCase().includes(lower));
	return toolResult({
		query,
		total_available: deferred.length,
		matches: found.slice(0, most).map(({ definition: { name, description } }) => ({
			name,
			...sourceOf(catalogue.get(name)),
			description: cutEnd(description, longestDescription),
		})),
	});
}

function searchText({ name, description, parameters }: ToolDefinition): string {
	const properties = isNode(parameters.properties) ? Object.keys(parameters.properties) : [];
	return [name, description, ...properties].join(" ").replace(/[_.:-]+/g, " ");
}

function sourceOf(tool: Tool | undefined): { source: string; source_name: string } {
	if (tool === undefined) return { source: "other", source_name: "" };
	return { source: tool.source?.kind ?? "builtin", source_name: tool.source?.name ?? tool.toolset };
}

function refusalOf(name: string, { deferred, get }: Catalogue): string | undefined {
	if (name === "") return "Cannot use a tool without its name: search for it with tool_search";
	if (bridgeNames.has(name)) return `Cannot use "${name}" through itself: name the tool that you want`;
	if (deferred.some((definition) => definition.name === name)) return undefined;
	const state = get(name) === undefined ? "no tool has that name" : "it is not among the tools that can be found here";
	return `Cannot use "${name}": ${state}; call listed tools directly, and find others with tool_search`;
}

function describe(name: string, { deferred }: Catalogue): ToolAnswer {
	const definition = deferred.find((each) => each.name === name);
	return definition === undefined ? toolError(`Cannot describe "${name}"`) : toolResult({ ...definition });
}

function callOf(name: string, { arguments: given = {} }: Readonly<Record<string, unknown>>): Bridged {
	const read =
		typeof given === "string" && given.trim() !== "" ? readJson(given) : { ok: true as const, value: given || {} };
	if (!read.ok) return answered(toolError(`Cannot call "${name}": its arguments are not valid JSON (${read.reason})`));
	if (!isNode(read.value)) return answered(toolError(`Cannot call "${name}": its arguments must be a JSON object`));
	return { kind: "call", name, arguments: read.value };
}
