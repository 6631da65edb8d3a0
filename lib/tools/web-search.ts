/** The tool that searches the web. */

import { z } from "zod";
import { defineTool, type ToolSettings, toolError, toolResult } from "../registry/tool.ts";
import { searchUnavailable, searchWeb } from "../web/search.ts";
import { searchVariables } from "../web/services/configured-services.ts";
import { clamped } from "./arguments/file-arguments.ts";

export default defineTool({
	name: "web_search",
	toolset: "web",
	description:
		"Search the web. Returns title, url and description of each result; read the pages that matter with web_extract.",
	args: z.object({
		query: z.string().trim().min(1).max(1_000).describe("What to look for, as one would type it into a search engine"),
		limit: clamped({ min: 1, max: 100, default: 5 }).describe("Results wanted; services give 20 to 100 at most"),
	}),
	environment: searchVariables,
	isUntrusted: true,
	readOnly: true,

	async available(settings?: ToolSettings) {
		return searchUnavailable(settings) ?? true;
	},

	async run({ query, limit }, { settings, signal }) {
		if (settings === undefined) return toolError("Cannot search: there are no settings here");
		const outcome = await searchWeb({ query, limit }, settings, signal);
		if (!outcome.ok) return toolError(outcome.error, { success: false });
		const { provider, hits, failed, problem } = outcome;
		return toolResult({
			success: true,
			provider,
			data: { web: hits.map((hit, index) => ({ ...hit, position: index + 1 })) },
			failed: failed.length > 0 ? failed : undefined,
			warning: problem,
		});
	},
});
