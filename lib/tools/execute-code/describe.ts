/** What a model is told of scripts: exactly the functions it gets, and the limits that are set. */

import type { AssemblyFacts, ToolText } from "../../registry/tool.ts";
import { functionOf, scriptToolsIn } from "../../rpc/script-tools.ts";
import { pythonSignature } from "../../rpc/stub/python-stub.ts";
import { scriptSettings } from "./settings.ts";

/** The description for a session with these tools. */
export function describeScripts(facts: AssemblyFacts): ToolText {
	const names = scriptToolsIn(facts.availableTools);
	const { mode, timeoutSeconds, maxCalls, withServers } = scriptSettings(facts.settings);
	const where =
		mode === "strict"
			? "It starts in a temporary folder of its own, with the Python of the system."
			: "It starts in the session's folder, with the Python and the packages that are active there.";
	const limits = `It may take ${timeoutSeconds} seconds; 50 KB of what it prints are kept, secrets masked.`;
	if (names.length === 0 && !withServers) {
		return {
			description: `Run a script; what it prints comes back. It can call no tools in this session. ${where} ${limits}`,
		};
	}
	const lines = names.map((name) => signatureOf(name, facts));
	const example = exampleOf(names);
	return {
		description: [
			"Run a script that calls tools as functions. Only what it prints comes back, so use it when three or more calls belong together: loops, filters, results that are large or only needed in part. For one call use the tool itself.",
			`Python: from hermes_tools import ${example}. Functions:`,
			...lines,
			...(withServers
				? ["mcp.<server>.<tool>(**arguments); search_tools(query) finds them by name and description"]
				: []),
			'Each returns a dict (no json.loads); one that failed has the key "error". They block: use threads for several at once. The same module has json_parse(text), shell_quote(text), retry(fn, max_attempts=3, delay=2), ToolError and ToolLimitError, to be imported too.',
			`TypeScript (language: "typescript"): import { ${example} } from "hermes_tools"; each takes one object, await ${names[0] ?? "mcp.server.tool"}({ … }), and needs await.`,
			`${where} ${limits} At most ${maxCalls} tool calls. Nobody can answer questions, and nothing that it starts goes on after its end (terminal with background does).`,
		].join("\n"),
	};
}

function signatureOf(name: string, { parameters }: AssemblyFacts): string {
	const schema = parameters?.(name);
	return schema === undefined ? `${name}(…)` : pythonSignature(functionOf({ name, description: "" }, schema));
}

function exampleOf(names: readonly string[]): string {
	const usual = names.filter((name) => name === "web_search" || name === "terminal");
	return (usual.length > 0 ? usual : names.slice(0, 2)).join(", ") || "mcp, search_tools";
}
