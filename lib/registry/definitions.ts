/** The tools a model is told of: put together from names, availability and texts, and kept until one of them changes. */

import { type Attempt, attempt } from "../base/attempt.ts";
import { deepFreeze } from "../base/freeze.ts";
import type { Verdict } from "./availability.ts";
import type { JsonSchema } from "./json-schema.ts";
import type { Registry } from "./registry.ts";
import { type SchemaFamily, schemaFor } from "./schema/family.ts";
import { splitDefinitions } from "./search/defer.ts";
import type { SearchSettings } from "./search/settings.ts";
import type { AssemblyFacts, Tool } from "./tool.ts";
import { resolveSelection, type Selection } from "./toolsets.ts";

/** A tool as the model sees it. `parameters` is a JSON Schema object. */
export interface ToolDefinition {
	readonly name: string;
	readonly description: string;
	readonly parameters: JsonSchema;
}

/** Everything that the list depends on, besides the registry and the outside. */
export interface AssemblyRequest extends Selection {
	/** `generic` when left out. */
	readonly family?: SchemaFamily;
	/** Left out: no search, every tool is shown. */
	readonly search?: SearchSettings | undefined;
	readonly contextTokens?: number | undefined;
	/** Nothing but these tools, whatever the selection comes to. */
	readonly only?: ReadonlySet<string> | undefined;
	/** How many agents stand above the one that is given the list; 0 when left out. */
	readonly depth?: number;
	/** Changes with whatever else the texts of tools depend on: the configuration, the profile, the kind of session. */
	readonly fingerprint?: string;
}

/** A tool that was chosen and cannot be had. */
export interface Unavailable {
	readonly name: string;
	readonly toolset: string;
	readonly reason: string;
}

/** What one session is given. */
export interface Assembly {
	/** What the model sees, in name order and with unique names; the array is the caller's own, what is in it is frozen. */
	readonly definitions: ToolDefinition[];
	/** Everything that may be called, deferred tools included. */
	readonly names: ReadonlySet<string>;
	/** Tools that are found by search only. */
	readonly deferred: readonly ToolDefinition[];
	readonly unavailable: readonly Unavailable[];
	readonly warnings: readonly string[];
}

/** Puts lists together and remembers the last few. */
export interface Assembler {
	/**
	 * Availability is asked for again when its time is over; a list that would come out the same is not made again.
	 * @throws {UnknownToolset} When the selection has a wrong name.
	 */
	assemble(request?: AssemblyRequest): Promise<Assembly>;
}

/** Lists that are kept; the one used longest ago goes first (#19251). */
const mostKept = 8;

interface Kept {
	readonly assembly: Assembly;
	readonly tools: readonly Tool[];
	readonly epoch: number;
	freshUntil: number;
}

/** An assembler with nothing in it. */
export function createAssembler(registry: Registry): Assembler {
	const { availability } = registry;
	const kept = new Map<string, Kept>();
	const underWay = new Map<string, Promise<Kept>>();

	const refresh = async (request: AssemblyRequest, before: Kept | undefined): Promise<Kept> => {
		const names = before === undefined ? resolveSelection(registry, request) : undefined;
		const tools =
			before?.tools ?? registry.list().filter((tool) => names?.names.has(tool.name) && isOffered(request, tool));
		const verdicts = await Promise.all(tools.map((tool) => availability.check(tool)));
		const { epoch } = availability;
		const freshUntil = availability.freshUntil(tools);
		if (before?.epoch === epoch) return { ...before, freshUntil };
		const made = make(registry, { tools, verdicts, request });
		const warnings = names?.warnings ?? before?.assembly.warnings ?? [];
		return { assembly: { ...made, warnings }, tools, epoch, freshUntil };
	};

	const renew = async (key: string, request: AssemblyRequest): Promise<Kept> => {
		const renewing = underWay.get(key) ?? refresh(request, kept.get(key)).finally(() => underWay.delete(key));
		underWay.set(key, renewing);
		const entry = await renewing;
		keepLast(kept, key, entry);
		return entry;
	};

	return {
		async assemble(request = {}) {
			const key = keyOf(request, registry.generation);
			const known = kept.get(key);
			const isFresh =
				known !== undefined && known.epoch === availability.epoch && availability.now() < known.freshUntil;
			if (isFresh) keepLast(kept, key, known);
			const { assembly } = isFresh ? known : await renew(key, request);
			return { ...assembly, definitions: [...assembly.definitions] };
		},
	};
}

/** One tool as a model would see it if it had every other one. */
export function describeTool(registry: Registry, tool: Tool): Attempt<ToolDefinition | null> {
	const facts = factsOf(registry, new Set(registry.list().map(({ name }) => name)));
	return attempt(() => define(registry, tool, { facts, family: "generic" }));
}

function isOffered({ only }: AssemblyRequest, { name }: Tool): boolean {
	return only === undefined || only.has(name);
}

function keyOf(request: AssemblyRequest, generation: number): string {
	const { enabled, disabled, only, depth, family, search, contextTokens, fingerprint } = request;
	return JSON.stringify([
		generation,
		enabled?.toSorted(),
		disabled?.toSorted(),
		only === undefined ? undefined : [...only].sort(),
		depth,
		family,
		search,
		contextTokens,
		fingerprint,
	]);
}

function keepLast(kept: Map<string, Kept>, key: string, entry: Kept): void {
	kept.delete(key);
	kept.set(key, entry);
	for (const oldest of kept.keys()) {
		if (kept.size <= mostKept) return;
		kept.delete(oldest);
	}
}

interface Parts {
	readonly tools: readonly Tool[];
	readonly verdicts: readonly Verdict[];
	readonly request: AssemblyRequest;
}

function make(registry: Registry, { tools, verdicts, request }: Parts): Omit<Assembly, "warnings"> {
	const unavailable: Unavailable[] = [];
	const leaveOut = ({ name, toolset }: Tool, reason: string) => void unavailable.push({ name, toolset, reason });
	const usable = tools.filter((tool, index) => {
		const verdict = verdicts[index] ?? true;
		if (verdict !== true) leaveOut(tool, verdict);
		return verdict === true;
	});
	const { depth = 0 } = request;
	const facts = { ...factsOf(registry, new Set(usable.map((tool) => tool.name))), depth };
	const definitions = usable.flatMap((tool) => {
		const made = attempt(() => define(registry, tool, { facts, family: request.family ?? "generic" }));
		if (!made.ok) leaveOut(tool, `its schema cannot be used: ${made.reason}`);
		return made.ok && made.value !== null ? [made.value] : [];
	});
	const { search, contextTokens } = request;
	const split =
		search === undefined
			? { shown: definitions, deferred: [] }
			: splitDefinitions({
					definitions,
					settings: search,
					contextTokens,
					isRegistered: (name) => registry.get(name) !== undefined,
				});
	const names = new Set(definitions.map(({ name }) => name));
	return { definitions: [...split.shown], names, deferred: split.deferred, unavailable };
}

function factsOf(registry: Registry, availableTools: ReadonlySet<string>): AssemblyFacts {
	const settings = registry.settings();
	return {
		availableTools,
		...(settings && { settings }),
		parameters(name) {
			const tool = registry.get(name);
			return tool === undefined ? undefined : registry.parameters(tool);
		},
	};
}

/** `null` when the tool wants to be left out. */
function define(
	registry: Registry,
	tool: Tool,
	{ facts, family }: { readonly facts: AssemblyFacts; readonly family: SchemaFamily },
): ToolDefinition | null {
	// A text that cannot be made must not take the tool away; the static one stands.
	const told = tool.describe === undefined ? undefined : attempt(() => tool.describe?.(facts));
	const text = told?.ok === true ? told.value : undefined;
	if (text === null) return null;
	const dynamic = typeof text === "object" ? text : {};
	return deepFreeze({
		name: tool.name,
		description: dynamic.description ?? tool.description,
		parameters: schemaFor(family, dynamic.parameters ?? registry.parameters(tool)),
	});
}
