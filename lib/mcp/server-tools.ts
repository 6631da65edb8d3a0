/** The tools of one server in the registry: kept as the server lists them. */

import { attempt } from "../base/attempt.ts";
import type { Logger } from "../log/logger.ts";
import { foreignTool } from "../registry/foreign-tool.ts";
import { compareNames, type Registry } from "../registry/registry.ts";
import { type Tool, type ToolAnswer, type ToolContext, toolError } from "../registry/tool.ts";
import { answerOf } from "./call-result.ts";
import type { Connection } from "./connection.ts";
import { ServerFailed, shownReason } from "./failure.ts";
import type { ToolListing } from "./listing.ts";
import type { SaveMedia } from "./media.ts";
import { reviewTool } from "./review-tool.ts";
import type { ServerSettings } from "./server-settings.ts";
import type { RequestLimits } from "./session.ts";
import { besideToolName, mcpToolNames } from "./tool-names.ts";
import { type UtilityTool, utilityTools } from "./utility-tools.ts";
import { callResult, type ListedTool } from "./wire.ts";

/** What the tools are made with. */
export interface ServerToolsOptions {
	readonly server: string;
	readonly settings: ServerSettings;
	/** Every server that is configured. */
	readonly servers: readonly string[];
	readonly registry: Registry;
	readonly connection: Connection;
	readonly save?: SaveMedia | undefined;
	readonly log: Logger;
}

/** A tool of the server that the model does not get, and why. */
export interface LeftOut {
	readonly name: string;
	readonly reason: string;
}

/** A tool that the model may get. */
export interface OfferedTool {
	/** In the registry. */
	readonly name: string;
	/** As the server calls it, which is what `tools.include` and `exclude` mean. */
	readonly ownName: string;
	readonly description: string;
}

/** One server's part of the registry. */
export interface ServerTools {
	/** In the order of their names. */
	readonly offered: readonly OfferedTool[];
	readonly leftOut: readonly LeftOut[];
	/** What should be looked at: texts that were left out. */
	readonly warnings: readonly string[];
	/** Makes the registry what the server lists. What is as it was is not touched: no prompt changes without need. */
	update(listing: ToolListing): void;
	/** Takes all of them away. */
	clear(): void;
}

/** Those that were asked for by their own names; a list of wanted ones wins over one of unwanted ones (#690). */
function wantedTools<T extends { readonly name: string }>(
	tools: readonly T[],
	{ include, exclude = [] }: Pick<ServerSettings["tools"], "include" | "exclude">,
): T[] {
	return tools.filter(({ name }) => (include === undefined ? !exclude.includes(name) : include.includes(name)));
}

interface Offer {
	readonly tool: Tool;
	readonly offer: OfferedTool;
	/** Changes when anything does that a model sees. */
	readonly mark: string;
}

/** A part that is empty. */
export function createServerTools(options: ServerToolsOptions): ServerTools {
	const { registry, log } = options;
	/** What is registered, by name. */
	const registered = new Map<string, Offer>();
	let leftOut: LeftOut[] = [];
	let warnings: string[] = [];
	const remove = (name: string) => {
		registered.delete(name);
		registry.deregister(name);
	};
	/** Registers what is new or other than it was; says so of each. */
	const put = (offers: ReadonlyMap<string, Offer>): string[] =>
		[...offers].flatMap(([name, offer]) => {
			const before = registered.get(name);
			if (before?.mark === offer.mark) return [];
			const refusal = refusalOf(registry, offer.tool, before !== undefined);
			if (refusal !== undefined) {
				leftOut.push({ name, reason: refusal });
				return [];
			}
			registered.set(name, offer);
			// Somebody agreed to what it was.
			return [before === undefined ? `${name} is new` : `${name} describes itself in another way now`];
		});
	return {
		get offered() {
			return [...registered.values()].map(({ offer }) => offer).sort((a, b) => compareNames(a.name, b.name));
		},
		get leftOut() {
			return leftOut;
		},
		get warnings() {
			return warnings;
		},
		update(listing) {
			leftOut = [];
			warnings = [];
			const isFirst = registered.size === 0;
			const offers = offersOf(options, listing, { leftOut, warnings });
			const gone = [...registered.keys()].filter((name) => !offers.has(name));
			for (const name of gone) remove(name);
			const changes = [...gone.map((name) => `${name} is gone`), ...put(offers)];
			if (!isFirst && changes.length > 0) log.warning(`tools have changed: ${changes.join(", ")}`);
			for (const { name, reason } of leftOut) log.warning(`tool "${name}" is left out: ${reason}`);
			for (const warning of warnings) log.warning(warning);
			log.info(`${registered.size} tools`);
		},
		clear() {
			for (const name of [...registered.keys()]) remove(name);
		},
	};
}

/** Of a name that is not ours yet, whoever holds it: two servers never have one name, so it is a tool of ours or of a plug-in. */
function refusalOf(registry: Registry, tool: Tool, isOurs: boolean): string | undefined {
	const holder = isOurs ? undefined : registry.get(tool.name);
	if (holder !== undefined) return `toolset "${holder.toolset}" already has a tool of that name`;
	return registry.register(tool);
}

function offersOf(
	options: ServerToolsOptions,
	{ tools, unreadable }: ToolListing,
	found: { readonly leftOut: LeftOut[]; readonly warnings: string[] },
): ReadonlyMap<string, Offer> {
	const { server, settings, servers, connection } = options;
	if (unreadable > 0)
		found.leftOut.push({ name: `${unreadable} of its entries`, reason: "no tool, or one without a name" });
	const wanted = wantedTools(tools, settings.tools);
	const ownNames = new Set(tools.map(({ name }) => name));
	const utilities = utilityTools(server, connection.capabilities, settings.tools);
	const nobodys = (settings.tools.include ?? []).filter((name) => !ownNames.has(name));
	for (const name of nobodys) found.warnings.push(`tools.include names "${name}", and the server has no such tool`);
	const free = utilities.filter(({ name }) => !ownNames.has(name)).map(({ name }) => name);
	const names = mcpToolNames(server, [...ownNames, ...free], servers);
	const offers = new Map<string, Offer>();
	for (const listed of wanted) {
		const name = names.get(listed.name) ?? "";
		const offer = offerOf(options, listed, { name, ...found });
		if (offer !== undefined) offers.set(name, offer);
	}
	for (const utility of utilities) {
		// A tool of the server itself has the name.
		const isTaken = ownNames.has(utility.name);
		const name = isTaken ? besideToolName(server, utility.name) : (names.get(utility.name) ?? "");
		const { name: ownName, description } = utility;
		const offer = { name, ownName, description };
		offers.set(name, { tool: utilityTool(options, name, utility), offer, mark: description });
	}
	return offers;
}

function offerOf(
	options: ServerToolsOptions,
	listed: ListedTool,
	{ name, leftOut, warnings }: { readonly name: string; readonly leftOut: LeftOut[]; readonly warnings: string[] },
): Offer | undefined {
	const { server, settings, connection, save } = options;
	const reviewed = reviewTool(server, listed);
	if (!reviewed.ok) {
		leftOut.push({ name: listed.name, reason: reviewed.reason });
		return undefined;
	}
	const { description, parameters } = reviewed;
	for (const warning of reviewed.warnings) warnings.push(`tool "${listed.name}": ${warning}`);
	const tool = foreignTool({
		...common(server),
		name,
		description,
		parameters,
		...(settings.supports_parallel_tool_calls && { loop: { isParallel: true } }),
		run: (args, context) =>
			answering(options, context, async (limits) => {
				const params = { name: listed.name, arguments: { ...args } };
				return await answerOf(
					await connection.call({ method: "tools/call", params, result: callResult }, limits),
					save,
				);
			}),
	});
	return { tool, offer: { name, ownName: listed.name, description }, mark: JSON.stringify([description, parameters]) };
}

function utilityTool(options: ServerToolsOptions, name: string, utility: UtilityTool): Tool {
	const { server, connection } = options;
	return foreignTool({
		...common(server),
		name,
		description: utility.description,
		parameters: utility.parameters,
		readOnly: true,
		run: (args, context) =>
			answering(options, context, (limits) => utility.run(connection.call.bind(connection), args, limits)),
	});
}

function common(server: string) {
	return { toolset: `mcp-${server}`, source: { kind: "mcp", name: server }, isUntrusted: true } as const;
}

async function answering(
	{ server, settings, log }: ServerToolsOptions,
	{ signal }: ToolContext,
	ask: (limits: RequestLimits) => Promise<ToolAnswer>,
): Promise<ToolAnswer> {
	const limits = { signal, limitMs: settings.timeout * 1_000, onProgress: (text: string) => log.debug(text) };
	try {
		return await ask(limits);
	} catch (cause) {
		const reason = attempt(() => shownReason(cause));
		const needsLogin = cause instanceof ServerFailed && cause.kind === "login";
		return toolError(reason.ok ? reason.value : "the server failed", needsLogin ? { needs_reauth: true, server } : {});
	}
}
