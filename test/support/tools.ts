/** Tools made for tests. */

import { z } from "zod";
import { BackendUnavailable } from "../../lib/environments/backend.ts";
import { foreignTool } from "../../lib/registry/foreign-tool.ts";
import type { JsonSchema } from "../../lib/registry/json-schema.ts";
import { defineTool, type Tool, type ToolContext, toolResult } from "../../lib/registry/tool.ts";

/** A tool without arguments that does nothing; `more` replaces parts of it. */
export function plainTool(name: string, toolset = "x", more: Partial<Tool> = {}): Tool {
	return {
		...defineTool({ name, toolset, description: `${name}.`, args: z.object({}), run: async () => toolResult({}) }),
		...more,
	};
}

/** A tool as a server brings it; it answers with the arguments that reached it. */
export function serverTool(name: string, parameters: JsonSchema, more: Partial<Tool> = {}): Tool {
	const tool = foreignTool({
		name,
		toolset: "mcp-demo",
		description: `Does ${name}`,
		parameters,
		source: { kind: "mcp", name: "demo" },
		run: async (args) => toolResult({ args }),
	});
	return { ...tool, ...more };
}

/** A session whose sandbox is gone. */
export const bareContext: ToolContext = {
	sessionId: "s",
	taskId: "t",
	signal: new AbortController().signal,
	execute: () => Promise.reject(new BackendUnavailable("Cannot reach the sandbox: it is gone")),
	cwd: "/srv",
	ranOn: "local",
};

/** A clock that stands until it is moved, in milliseconds. */
export function testClock(): { now: () => number; pass: (milliseconds: number) => void } {
	let time = 1_000_000;
	return {
		now: () => time,
		pass(milliseconds) {
			time += milliseconds;
		},
	};
}

/** A log that keeps its lines as `LEVEL text`. */
export function keptLog() {
	const lines: string[] = [];
	const at = (level: string) => (message: string) => void lines.push(`${level} ${message}`);
	const log = {
		debug: at("debug"),
		info: at("info"),
		warning: at("warning"),
		error: at("error"),
		critical: at("critical"),
		named: () => log,
		inSession: () => log,
	};
	return { log, lines };
}
