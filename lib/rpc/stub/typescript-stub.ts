/** Writes `hermes_tools.ts`: one typed function for each tool that a script may call, on top of what all scripts share. */

import type { Parameter, ScriptFunction, ScriptOffer, ServerFunction } from "../script-tools.ts";
import runtime from "./runtime.js" with { type: "text" };

/** The module's text. All types in it can be erased. */
export function typescriptStub({ functions, servers }: ScriptOffer): string {
	const parts = [`// @ts-nocheck\n${runtime.trimEnd()}`, ...functions.map(functionText), ...serversText(servers)];
	return parts.join("\n\n").concat("\n");
}

const typeNames = {
	string: "string",
	integer: "number",
	number: "number",
	boolean: "boolean",
	array: "unknown[]",
	object: "Record<string, unknown>",
	any: "unknown",
} as const;

function argumentsType(parameters: readonly Parameter[]): string {
	const fields = parameters.map(({ name, type, isRequired }) => `${name}${isRequired ? "" : "?"}: ${typeNames[type]}`);
	return `{ ${fields.join(", ")} }`;
}

function functionText(tool: ScriptFunction): string {
	const lines = tool.parameters.map(({ name, description = "", default: value }) => {
		const fallback = value === undefined ? "" : ` (${JSON.stringify(value)} when left out)`;
		return ` * @param args.${name} ${description}${fallback}`;
	});
	const text = ["/**", ` * ${tool.description}`, ...lines, " */"].join("\n");
	const [first] = tool.parameters;
	// `terminal("ls")` is what everybody tries first.
	const named = `typeof args === "string" ? { ${JSON.stringify(first?.name ?? "text")}: args } : args`;
	const head = `export function ${tool.name}(args: ${argumentsType(tool.parameters)}): Promise<Record<string, any>>`;
	return `${closedComment(text)}\n${head} {\n\treturn callTool(${JSON.stringify(tool.name)}, ${named});\n}`;
}

/** A description that ends the comment early would be run. */
function closedComment(text: string): string {
	return `${text.slice(0, -2).replaceAll("*/", "* /")}*/`;
}

function serversText(servers: readonly ServerFunction[]): string[] {
	if (servers.length === 0) return [];
	const rows = servers.map(({ server, tool, name, description }) => JSON.stringify([server, tool, name, description]));
	return [`const serverTools: string[][] = [\n\t${rows.join(",\n\t")},\n];`, serversRuntime];
}

const serversRuntime = `/** mcp.<server>.<tool>({ … }) */
export const mcp: Record<string, Record<string, (args?: object) => Promise<any>>> = {};
for (const [server, tool, name] of serverTools) (mcp[server] ??= {})[tool] = (args = {}) => callTool(name, args);

/** Tools of MCP servers that fit the words of query, the best first: name ("server.tool") and description. */
export function search_tools(query: string, limit = 10): { name: string; description: string }[] {
	const words = query.toLowerCase().split(/\\s+/).filter(Boolean);
	const count = (text: string, word: string) => text.toLowerCase().split(word).length - 1;
	return serverTools
		.map(([server, tool, , description]) => ({
			name: server + "." + tool,
			description,
			score: words.reduce((sum, word) => sum + count(description, word) + 4 * count(server + " " + tool, word), 0),
		}))
		.filter(({ score }) => score > 0 || words.length === 0)
		.sort((a, b) => b.score - a.score)
		.slice(0, limit)
		.map(({ name, description }) => ({ name, description }));
}`;
