/** Which tools a script may call, in which order their parameters come, and what they look like to it. */

import type { JsonSchema } from "../registry/json-schema.ts";
import type { Tool } from "../registry/tool.ts";

/** What a script may be given: nothing here starts agents, talks to people or keeps notes. */
const scriptTools: ReadonlySet<string> = new Set([
	"web_search",
	"web_extract",
	"read_file",
	"write_file",
	"search_files",
	"patch",
	"terminal",
]);

/** Parameters that make no sense in a script: what it starts ends with it. */
const leftOut: Readonly<Record<string, readonly string[]>> = {
	terminal: ["background", "pty", "notify_on_complete", "watch_patterns", "on_timeout"],
};

/** The order of parameters where that of the schema is not the one people write: `patch(path, old, new)`. */
const usualOrder: Readonly<Record<string, readonly string[]>> = {
	patch: ["path", "old_string", "new_string", "replace_all", "mode", "patch"],
	search_files: ["pattern", "target", "path", "file_glob", "limit", "offset", "output_mode", "context"],
};

/** One parameter of a function. */
export interface Parameter {
	readonly name: string;
	/** The type of its JSON schema; `any` when it has none or several. */
	readonly type: "string" | "integer" | "number" | "boolean" | "array" | "object" | "any";
	readonly isRequired: boolean;
	/** What the tool takes when it is left out, where the schema says so. */
	readonly default?: unknown;
	readonly description?: string;
}

/** A tool as a function. */
export interface ScriptFunction {
	readonly name: string;
	readonly description: string;
	/** Required ones first. */
	readonly parameters: readonly Parameter[];
}

/** A tool of an MCP server, which a script calls as `mcp.<server>.<tool>`. */
export interface ServerFunction {
	/** The name it is registered under. */
	readonly name: string;
	readonly server: string;
	/** The name its server gives it. */
	readonly tool: string;
	readonly description: string;
}

/** Everything a script may call. */
export interface ScriptOffer {
	readonly functions: readonly ScriptFunction[];
	readonly servers: readonly ServerFunction[];
}

/** What is offered out of `tools`, which are those of the session that can be used now. */
export function offerOf(
	tools: readonly Tool[],
	{ parameters, withServers }: { parameters(tool: Tool): JsonSchema; readonly withServers: boolean },
): ScriptOffer {
	const functions = tools
		.filter(({ name, source }) => scriptTools.has(name) && source === undefined)
		.map((tool) => functionOf(tool, parameters(tool)));
	return { functions, servers: withServers ? tools.flatMap(serverFunctionOf) : [] };
}

/** Names of everything in `offer`, as the dispatcher knows them. */
export function namesIn({ functions, servers }: ScriptOffer): ReadonlySet<string> {
	return new Set([...functions, ...servers].map(({ name }) => name));
}

/** Names of the tools in `available` that a script may be given. */
export function scriptToolsIn(available: Iterable<string>): string[] {
	return [...available].filter((name) => scriptTools.has(name)).sort();
}

/** `args` without what a script may not say. */
export function withoutLeftOut(
	tool: string,
	args: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
	const names = leftOut[tool];
	if (names === undefined) return args;
	return Object.fromEntries(Object.entries(args).filter(([name]) => !names.includes(name)));
}

/** A tool with the JSON schema of its arguments, as a function. */
export function functionOf(
	{ name, description }: Pick<Tool, "name" | "description">,
	schema: JsonSchema,
): ScriptFunction {
	const required = new Set(Array.isArray(schema.required) ? schema.required : []);
	const all = Object.entries(isObject(schema.properties) ? schema.properties : {})
		.filter(([parameter]) => leftOut[name]?.includes(parameter) !== true)
		.map(([parameter, facts]) => parameterOf(parameter, facts, required.has(parameter)));
	const order = usualOrder[name] ?? [];
	const rank = (parameter: Parameter) => {
		const at = order.indexOf(parameter.name);
		return (parameter.isRequired ? 0 : 1_000) + (at < 0 ? order.length : at);
	};
	return { name, description, parameters: all.sort((a, b) => rank(a) - rank(b)) };
}

const types = ["string", "integer", "number", "boolean", "array", "object"] as const;

function parameterOf(name: string, facts: unknown, isRequired: boolean): Parameter {
	const schema = isObject(facts) ? facts : {};
	return {
		name,
		type: types.find((type) => type === schema.type) ?? "any",
		isRequired,
		...("default" in schema && { default: schema.default }),
		...(typeof schema.description === "string" && { description: schema.description }),
	};
}

function serverFunctionOf({ name, description, source }: Tool): ServerFunction[] {
	if (source?.kind !== "mcp") return [];
	const { name: server } = source;
	const word = server.replace(/[^a-zA-Z0-9_]/g, "_");
	const prefix = [`mcp__${word}__`, `mcp_${word}_`, `${word}_`].find((start) => name.startsWith(start)) ?? "";
	return [{ name, server: word, tool: name.slice(prefix.length).replace(/[^a-zA-Z0-9_]/g, "_"), description }];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
