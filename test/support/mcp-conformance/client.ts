/** The program that the conformance suite of MCP tests as a client: `client.ts URL`, with the scenario's name in the environment. */

import { silentLogger } from "../../../lib/log/logger.ts";
import { openServers } from "../../../lib/mcp/open-servers.ts";
import { createRegistry } from "../../../lib/registry/registry.ts";
import { bareContext } from "../tools.ts";
import { partsFor } from "./parts.ts";

const url = process.argv.at(-1) ?? "";
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? "";
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}");

/** What tools of the suite want; others are called without arguments. */
const argumentsOf: Readonly<Record<string, object>> = { mcp_suite_add_numbers: { a: 5, b: 3 } };

const { entry, parts } = await partsFor(scenario, context);
const registry = createRegistry([]);
const variables = Object.fromEntries(
	Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
);
const servers = { suite: { url, timeout: 20, ...entry } };
await using opened = await openServers({ servers, variables, registry, log: silentLogger, parts, waitMs: 25_000 });
const [status] = opened.statuses();
if (status?.state !== "connected") throw new Error(`it did not connect: ${JSON.stringify(status)}`);
for (const { name } of status.tools) {
	const tool = registry.get(name);
	const answer = await tool?.run(tool.args.parse(argumentsOf[name] ?? {}), bareContext);
	process.stdout.write(`${name}: ${answer}\n`);
}
