/** MCP servers opened for a test, called through the registry like a model calls them. */

import { join } from "node:path";
import { type OpenServers, type OpenServersOptions, openServers } from "../../lib/mcp/open-servers.ts";
import type { Timing } from "../../lib/mcp/timing.ts";
import { createRegistry, type Registry } from "../../lib/registry/registry.ts";
import { bareContext, keptLog, plainTool } from "./tools.ts";

const faulty = join(import.meta.dir, "mcp-faulty-server.ts");

/** Where the servers of the protocol's makers are. */
export const officialServers = {
	everything: { command: process.execPath, args: [officialScript("everything"), "stdio"] },
	filesystem: (folder: string) => ({ command: process.execPath, args: [officialScript("filesystem"), folder] }),
};

/** The program of one of them. */
export function officialScript(name: "everything" | "filesystem"): string {
	return join(import.meta.dir, `../../node_modules/@modelcontextprotocol/server-${name}/dist/index.js`);
}

/** With a key that no server may see. */
export const variables = { PATH: process.env.PATH ?? "", HOME: "/tmp", OPENAI_API_KEY: "sk-hidden" };

/** Everything at once instead of after a minute. */
export const quick: Timing = {
	firstRetryMs: 20,
	longestRetryMs: 100,
	healthyMs: 60_000,
	pauseMs: 60_000,
	keepAliveMs: 180_000,
	keepAliveLimitMs: 30_000,
	listPauseMs: 0,
	loginLookMs: 20,
};

/** An entry for the server that does what `mode` says. */
export function faultyServer(mode: string, more: object = {}) {
	return { command: process.execPath, args: [faulty, mode], ...more };
}

/** Opened servers with what a test looks at. */
export interface OpenedMcp extends AsyncDisposable {
	readonly registry: Registry;
	readonly servers: OpenServers;
	/** `LEVEL text`, of all servers. */
	readonly log: readonly string[];
	/** The parsed answer of the tool with this name in the registry. */
	call(name: string, args?: object, signal?: AbortSignal): Promise<Record<string, unknown>>;
	/** Names of the tools that servers brought, sorted. */
	names(): string[];
	/** Waits until `holds`, at most 20 s; then says what the state was. */
	until(holds: () => boolean | Promise<boolean>): Promise<void>;
}

/** Opens `servers`; waits for all of them unless `waitMs` says otherwise. */
export async function openMcp(
	servers: Readonly<Record<string, unknown>>,
	options: Partial<OpenServersOptions> = {},
): Promise<OpenedMcp> {
	const registry = createRegistry([plainTool("mcp_own_tool", "own")]);
	const { log, lines } = keptLog();
	const opened = await openServers({ servers, variables, registry, log, waitMs: 30_000, timing: quick, ...options });
	const names = () => registry.list().flatMap(({ name, source }) => (source === undefined ? [] : [name]));
	return {
		registry,
		servers: opened,
		log: lines,
		names,
		async call(name, args = {}, signal = bareContext.signal) {
			const tool = registry.get(name);
			if (tool === undefined) throw new Error(`there is no tool "${name}"; there is ${names().join(", ")}`);
			return JSON.parse(await tool.run(tool.args.parse(args), { ...bareContext, signal }));
		},
		async until(holds) {
			for (const giveUpAt = performance.now() + 20_000; performance.now() < giveUpAt; await Bun.sleep(10)) {
				if (await holds()) return;
			}
			throw new Error(`it did not come to it: ${JSON.stringify(opened.statuses())}\n${lines.join("\n")}`);
		},
		[Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
	};
}

/** Whether a process of this number runs; one that waits for its parent to look does not. */
export function isAlive(pid: number): boolean {
	const stat = Bun.spawnSync(["ps", "-o", "stat=", "-p", String(pid)])
		.stdout.toString()
		.trim();
	return stat !== "" && !stat.startsWith("Z");
}
