/** Writes `hermes_tools.py`: one typed function for each tool that a script may call, on top of what all scripts share. */

import type { Parameter, ScriptFunction, ScriptOffer, ServerFunction } from "../script-tools.ts";
import runtime from "./runtime.py" with { type: "text" };

const helpers = ["json_parse", "shell_quote", "retry", "raise_errors", "ToolError", "ToolLimitError"];

/** The module's text, for Python 3.8 or later. */
export function pythonStub({ functions, servers }: ScriptOffer): string {
	const names = [
		...functions.map(({ name }) => name),
		...helpers,
		...(servers.length > 0 ? ["mcp", "search_tools"] : []),
	];
	const all = `__all__ = ${JSON.stringify(names)}`;
	return [runtime.trimEnd(), all, ...functions.map(functionText), ...serversText(servers)].join("\n\n\n").concat("\n");
}

/** `read_file(path: str, offset: int = 1, limit: int = 500)`, as the model is told of it. */
export function pythonSignature({ name, parameters }: ScriptFunction): string {
	return `${name}(${parameters.map(parameterText).join(", ")})`;
}

const typeNames = {
	string: "str",
	integer: "int",
	number: "float",
	boolean: "bool",
	array: "list",
	object: "dict",
	any: "object",
} as const;

function functionText(tool: ScriptFunction): string {
	const described = tool.parameters.filter(({ description }) => description !== undefined);
	const lines = described.map(({ name, description }) => `    ${name}: ${description}`);
	const text = lines.length === 0 ? tool.description : `${tool.description}\n\n${lines.join("\n")}\n    `;
	const given = tool.parameters.map(({ name }) => `, ${name}=${name}`).join("");
	return `def ${pythonSignature(tool)} -> dict:\n    ${docString(text)}\n    return _call(${JSON.stringify(tool.name)}${given})`;
}

function parameterText({ name, type, isRequired, default: value }: Parameter): string {
	if (isRequired) return `${name}: ${typeNames[type]}`;
	return value === undefined
		? `${name}: ${typeNames[type]} | None = None`
		: `${name}: ${typeNames[type]} = ${literal(value)}`;
}

/** A JSON value as Python writes it. */
function literal(value: unknown): string {
	if (value === null) return "None";
	if (typeof value === "boolean") return value ? "True" : "False";
	if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
	if (typeof value === "object") {
		return `{${Object.entries(value)
			.map(([key, item]) => `${JSON.stringify(key)}: ${literal(item)}`)
			.join(", ")}}`;
	}
	return JSON.stringify(value);
}

function docString(text: string): string {
	return `"""${text.replaceAll("\\", "\\\\").replaceAll('"""', '\\"\\"\\"').replace(/"$/, '\\"')}"""`;
}

function serversText(servers: readonly ServerFunction[]): string[] {
	if (servers.length === 0) return [];
	const rows = servers.map((row) => `    ${literal([row.server, row.tool, row.name, row.description])},`);
	return [`_server_tools = [\n${rows.join("\n")}\n]`, serversRuntime];
}

const serversRuntime = `class _Server(object):
    """Tools of one MCP server; each takes its arguments by name."""


class _Servers(object):
    """mcp.<server>.<tool>(**arguments)"""


def _server_tool(name, description):
    def call(**arguments):
        return _call(name, **arguments)
    call.__doc__ = description
    return call


mcp = _Servers()
for _server, _tool, _name, _description in _server_tools:
    if not hasattr(mcp, _server):
        setattr(mcp, _server, _Server())
    setattr(getattr(mcp, _server), _tool, _server_tool(_name, _description))


def search_tools(query: str, limit: int = 10) -> list:
    """Tools of MCP servers that fit the words of query, the best first: name ("server.tool") and description."""
    words = [word for word in query.lower().split() if word]
    found = []
    for server, tool, _, description in _server_tools:
        text = ("%s %s %s" % (server, tool, description)).lower()
        score = sum(text.count(word) + 3 * ((server + " " + tool).lower().count(word)) for word in words)
        if score or not words:
            found.append((-score, server + "." + tool, description))
    return [{"name": name, "description": description} for _, name, description in sorted(found)[:limit]]`;
