/** What a server offers, all pages of it, and only what it says it has. */

import type { z } from "zod";
import type { Connection } from "./connection.ts";
import { allPages } from "./pages.ts";
import type { RequestLimits } from "./session.ts";
import {
	type ListedTool,
	listedPrompt,
	listedResource,
	listedTool,
	promptsPage,
	resourcesPage,
	toolsPage,
} from "./wire.ts";

/** Through which lists are asked for: at once, or as a call that a model asked for. */
export type Ask = Pick<Connection, "request">["request"];

/** Tools, and what of the list was none. */
export interface ToolListing {
	readonly tools: readonly ListedTool[];
	/** Entries that cannot be read. */
	readonly unreadable: number;
}

/** Every tool of every page; of two with one name the first. @throws {ServerFailed} */
export async function listTools(ask: Ask, limits: RequestLimits): Promise<ToolListing> {
	const items = await allPages(async (cursor) => {
		const { tools, nextCursor } = await ask({ method: "tools/list", params: at(cursor), result: toolsPage }, limits);
		return { items: tools, next: nextCursor };
	});
	const read = readable(items, listedTool);
	const byName = new Map<string, ListedTool>();
	for (const tool of read) if (!byName.has(tool.name)) byName.set(tool.name, tool);
	return { tools: [...byName.values()], unreadable: items.length - read.length };
}

/** Every resource. @throws {ServerFailed} */
export async function listResources(ask: Ask, limits: RequestLimits): Promise<z.output<typeof listedResource>[]> {
	const items = await allPages(async (cursor) => {
		const request = { method: "resources/list", params: at(cursor), result: resourcesPage };
		const { resources, nextCursor } = await ask(request, limits);
		return { items: resources, next: nextCursor };
	});
	return readable(items, listedResource);
}

/** Every prompt. @throws {ServerFailed} */
export async function listPrompts(ask: Ask, limits: RequestLimits): Promise<z.output<typeof listedPrompt>[]> {
	const items = await allPages(async (cursor) => {
		const { prompts, nextCursor } = await ask(
			{ method: "prompts/list", params: at(cursor), result: promptsPage },
			limits,
		);
		return { items: prompts, next: nextCursor };
	});
	return readable(items, listedPrompt);
}

function at(cursor: string | undefined): { readonly cursor?: string } {
	return cursor === undefined ? {} : { cursor };
}

function readable<T extends z.ZodType>(items: readonly unknown[], schema: T): z.output<T>[] {
	return items.flatMap((item) => {
		const parsed = schema.safeParse(item);
		return parsed.success ? [parsed.data] : [];
	});
}
