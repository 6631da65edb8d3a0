/** The tools of one process: looked up by name, listed in name order, and why some are missing. */

import type { PluginFailure } from "../base/plugins.ts";
import { type Logger, silentLogger } from "../log/logger.ts";
import { type Availability, type AvailabilityOptions, createAvailability } from "./availability.ts";
import { argumentsSchema, type JsonSchema } from "./json-schema.ts";
import { bridgeNames } from "./search/bridge-names.ts";
import type { Tool, ToolSettings } from "./tool.ts";

/** Lists are snapshots: one that is being read does not change when tools come and go. */
export interface Registry {
	get(name: string): Tool | undefined;
	/** In name order, so that what the model sees never depends on load order. */
	list(): readonly Tool[];
	/** Toolset name to the names of its tools, both sorted. */
	toolsets(): ReadonlyMap<string, readonly string[]>;
	/**
	 * JSON Schema of the arguments of `tool`; made when first asked for.
	 * @throws {Error} When its zod schema has no JSON form.
	 */
	parameters(tool: Tool): JsonSchema;
	/** Tools that are not here, and why: modules that did not load, names that were refused. */
	readonly failures: readonly PluginFailure[];
	/** Grows with every change. */
	readonly generation: number;
	/**
	 * Adds `tool`, or puts it in the place of one of the same name and toolset. Returns why it was refused.
	 * A name that another toolset holds is refused, unless both are of MCP servers, or `override` is set, which is logged.
	 */
	register(tool: Tool, options?: { readonly override?: boolean }): string | undefined;
	/** Takes a tool away; with the last one of a toolset its aliases go too. An unknown name is fine. */
	deregister(name: string): void;
	/** Makes `alias` another name of `toolset` (the name of an MCP server for `mcp-<server>`). */
	alias(alias: string, toolset: string): void;
	readonly aliases: ReadonlyMap<string, string>;
	/** Makes a toolset known while it has no tools: a configured server that is not connected, a plug-in that is broken. */
	declare(toolset: string, description: string): void;
	/** Declared toolsets and what they are for. */
	readonly declared: ReadonlyMap<string, string>;
	/** Makes `hermes-<platform>` a bundle: the core, and the tools of toolset `<platform>`. */
	declarePlatform(platform: string): void;
	readonly platforms: ReadonlySet<string>;
	readonly availability: Availability;
	/** As they are now; undefined where there are none. */
	settings(): ToolSettings | undefined;
}

/** What a registry is made with besides its tools. */
export interface RegistryOptions extends Omit<AvailabilityOptions, "log"> {
	readonly log?: Logger;
}

/** Providers refuse tool names outside this shape. */
const namePattern = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * The first tool of a name wins; later ones are refused and reported in `failures`, so that one bad plug-in stops no
 * other. `loadFailures` are the modules that could not be loaded.
 */
export function createRegistry(
	tools: ReadonlyMap<string, Tool> | readonly Tool[],
	loadFailures: readonly PluginFailure[] = [],
	options: RegistryOptions = {},
): Registry {
	const registry = new ToolRegistry(loadFailures, options);
	for (const tool of tools.values()) registry.registerOrReport(tool);
	return registry;
}

class ToolRegistry implements Registry {
	readonly availability: Availability;
	readonly failures: PluginFailure[];
	readonly aliases = new Map<string, string>();
	readonly declared = new Map<string, string>();
	readonly platforms = new Set<string>();
	readonly #byName = new Map<string, Tool>();
	readonly #schemas = new WeakMap<Tool, JsonSchema>();
	readonly #log: Logger;
	readonly #settings: RegistryOptions["settings"];
	#generation = 0;
	#sorted: readonly Tool[] | undefined;
	#toolsets: ReadonlyMap<string, readonly string[]> | undefined;

	constructor(loadFailures: readonly PluginFailure[], options: RegistryOptions) {
		this.failures = [...loadFailures];
		this.#log = options.log ?? silentLogger;
		this.#settings = options.settings;
		this.availability = createAvailability(options);
	}

	get generation(): number {
		return this.#generation;
	}

	settings(): ToolSettings | undefined {
		return this.#settings?.();
	}

	get(name: string): Tool | undefined {
		return this.#byName.get(name);
	}

	list(): readonly Tool[] {
		this.#sorted ??= [...this.#byName.values()].sort((a, b) => compareNames(a.name, b.name));
		return this.#sorted;
	}

	toolsets(): ReadonlyMap<string, readonly string[]> {
		this.#toolsets ??= toolsetsOf(this.list());
		return this.#toolsets;
	}

	parameters(tool: Tool): JsonSchema {
		const schema = tool.parameters ?? this.#schemas.get(tool) ?? argumentsSchema(tool.args);
		this.#schemas.set(tool, schema);
		return schema;
	}

	registerOrReport(tool: Tool): void {
		// Two modules of ours with one name are a mistake, also inside one toolset.
		const holder = this.#byName.get(tool?.name);
		const refusal = holder === undefined ? this.register(tool) : nameTaken(tool, holder);
		if (refusal !== undefined) this.failures.push({ name: String(tool?.name), reason: refusal });
	}

	register(tool: Tool, { override = false }: { readonly override?: boolean } = {}): string | undefined {
		const malformed = malformation(tool);
		if (malformed !== undefined) return malformed;
		const holder = this.#byName.get(tool.name);
		if (holder !== undefined && holder.toolset !== tool.toolset) {
			const both = `"${tool.name}" of toolset "${holder.toolset}" by that of "${tool.toolset}"`;
			if (override) this.#log.info(`replaced tool ${both}`);
			else if (isMcp(holder) && isMcp(tool)) this.#log.debug(`replaced tool ${both}`);
			else {
				const refusal = nameTaken(tool, holder);
				this.#log.error(refusal);
				return refusal;
			}
		}
		this.#byName.set(tool.name, tool);
		this.#changed();
		if (holder !== undefined) this.#forgetIfEmpty(holder.toolset);
		return undefined;
	}

	deregister(name: string): void {
		const tool = this.#byName.get(name);
		if (tool === undefined) return;
		this.#byName.delete(name);
		this.#changed();
		this.#forgetIfEmpty(tool.toolset);
	}

	alias(alias: string, toolset: string): void {
		const before = this.aliases.get(alias);
		if (before !== undefined && before !== toolset) {
			this.#log.warning(`toolset alias "${alias}" now means "${toolset}", not "${before}"`);
		}
		this.aliases.set(alias, toolset);
		this.#changed();
	}

	declare(toolset: string, description: string): void {
		this.declared.set(toolset, description);
		this.#changed();
	}

	declarePlatform(platform: string): void {
		this.platforms.add(platform);
		this.#changed();
	}

	#forgetIfEmpty(toolset: string): void {
		if (this.declared.has(toolset)) return;
		// Not by `toolsets()`: that would sort all tools anew for each of a thousand that go.
		for (const tool of this.#byName.values()) if (tool.toolset === toolset) return;
		for (const [alias, target] of [...this.aliases]) if (target === toolset) this.aliases.delete(alias);
	}

	#changed(): void {
		this.#generation++;
		this.#sorted = undefined;
		this.#toolsets = undefined;
	}
}

function malformation(tool: Tool): string | undefined {
	if (typeof tool?.name !== "string" || typeof tool.run !== "function") return "its default export is not a tool";
	const refused = `Cannot register tool "${tool.name}"`;
	if (!namePattern.test(tool.name)) return `${refused}: the name must match ${namePattern.source}`;
	return bridgeNames.has(tool.name) ? `${refused}: the name belongs to the search for tools` : undefined;
}

function nameTaken(tool: Tool, holder: Tool): string {
	return `Cannot register tool "${tool.name}": toolset "${holder.toolset}" already has that name`;
}

function isMcp({ toolset }: Tool): boolean {
	return toolset.startsWith("mcp-");
}

function toolsetsOf(tools: readonly Tool[]): ReadonlyMap<string, readonly string[]> {
	const names = [...new Set(tools.map((tool) => tool.toolset))].sort(compareNames);
	const byToolset = Map.groupBy(tools, (tool) => tool.toolset);
	return new Map(names.map((name) => [name, (byToolset.get(name) ?? []).map((tool) => tool.name)] as const));
}

/** Code-unit order: the same on every machine, whatever its locale. */
export function compareNames(a: string, b: string): number {
	if (a === b) return 0;
	return a < b ? -1 : 1;
}
