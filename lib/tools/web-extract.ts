/** The tool that reads pages of the web. */

import { z } from "zod";
import { cutEnd } from "../registry/cut-text.ts";
import { defineTool, type ToolContext, toolError, toolResult } from "../registry/tool.ts";
import { extractPages, type ReadWebPage } from "../web/extract.ts";
import { clamped } from "./arguments/file-arguments.ts";

const mostUrls = 5;

export default defineTool({
	name: "web_extract",
	toolset: "web",
	description:
		"Read web pages and PDFs as markdown, up to 5 urls at once; one result for each url, in the same order. Of a long page the beginning is returned, and the whole text is saved to a file (saved_to) to be read with read_file or searched with search_files.",
	args: z.object({
		urls: z.array(z.string()).min(1).describe("Complete addresses (http or https), at most 5"),
		max_chars: clamped({ min: 500, max: 50_000, default: 8_000 }).describe("Characters of each page to return at once"),
	}),
	isUntrusted: true,
	readOnly: true,

	async run({ urls, max_chars: limit }, context) {
		const { settings, signal } = context;
		if (settings === undefined) return toolError("Cannot read pages: there are no settings here");
		const { pages, warnings } = await extractPages(urls.slice(0, mostUrls), { settings, signal });
		const results = await Promise.all(
			urls.map(async (url, index) => {
				const page = pages[index];
				if (page === undefined)
					return { url, error: `at most ${mostUrls} urls are read at once; ask for this one again` };
				if (page.ok) return shown(url, page, { limit, context });
				return {
					url,
					error: `Cannot read "${url.slice(0, 300)}": ${page.error}`,
					blocked_by_policy: page.byPolicy || undefined,
				};
			}),
		);
		return toolResult({ results, warnings: warnings.length > 0 ? warnings : undefined });
	},
});

async function shown(
	url: string,
	page: ReadWebPage,
	{ limit, context }: { readonly limit: number; readonly context: ToolContext },
): Promise<Readonly<Record<string, unknown>>> {
	const about = {
		url,
		final_url: page.url === url ? undefined : page.url,
		title: page.title,
		provider: page.provider,
		failed: page.failed.length > 0 ? page.failed : undefined,
	};
	if (page.text.length <= limit) return { ...about, content: page.text };
	const whole = `${page.title}\n${page.url}\n\n${page.text}\n`;
	const saved = await context.saveText?.(`web-${crypto.randomUUID()}`, whole);
	return {
		...about,
		content: cutEnd(page.text, limit),
		truncated: true,
		total_chars: page.text.length,
		...(saved?.ok === true
			? { saved_to: saved.path }
			: { not_saved: saved?.reason ?? "this call belongs to no session" }),
	};
}
