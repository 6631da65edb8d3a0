/** Connects every configured MCP server at once and keeps what they offer in the registry. */

import { isDeepStrictEqual } from "node:util";
import { settledWithin } from "../base/settled-within.ts";
import type { Sandbox } from "../environments/backend.ts";
import type { Logger } from "../log/logger.ts";
import type { Registry } from "../registry/registry.ts";
import type { ClientParts } from "./client-parts.ts";
import { OpenServer, type ServerStatus } from "./open-server.ts";
import { openServerPlace } from "./server-place.ts";
import { readServerSettings } from "./server-settings.ts";
import type { Timing } from "./timing.ts";

/** What servers are opened with. */
export interface OpenServersOptions {
	/** `mcp_servers` as config.yaml has it. */
	readonly servers: Readonly<Record<string, unknown>>;
	readonly variables: Readonly<Record<string, string>>;
	readonly registry: Registry;
	readonly log: Logger;
	/** HERMES_HOME, for pictures and the like. */
	readonly home?: string;
	/** Folder that servers start in; ours when left out. */
	readonly cwd?: string;
	/** Opens a place for servers with a `backend`. @throws {BackendUnavailable} */
	openSandbox?(place: { readonly backend: string; readonly taskId: string }, signal: AbortSignal): Promise<Sandbox>;
	readonly parts?: ClientParts | undefined;
	readonly timing?: Timing;
	/** How long the start waits; a server that is later adds its tools when it is there. */
	readonly waitMs?: number;
}

/** Servers that are looked after. Disposing them ends every one. */
export interface OpenServers extends AsyncDisposable {
	/** Every configured server, in the order of the settings. */
	statuses(): readonly ServerStatus[];
	/** Makes them what changed settings say: those whose entry is as it was go on as they are. Waits like the start did. */
	use(servers: Readonly<Record<string, unknown>>): Promise<void>;
}

const startWaitMs = 5_000;

/** Never throws: what is wrong with a server is in its status and in the log. */
export async function openServers(options: OpenServersOptions): Promise<OpenServers> {
	const { registry, log, home, parts, timing, waitMs = startWaitMs } = options;
	const place = openServerPlace(options);
	const open = new Map<string, { readonly written: unknown; readonly server: OpenServer }>();
	let unusable: ServerStatus[] = [];
	let order: readonly string[] = [];

	const begin = (name: string, written: unknown, servers: readonly string[]): Promise<void> => {
		const ownLog = log.named(`mcp.${name}`);
		const read = readServerSettings(written);
		if (!read.ok) {
			ownLog.warning(`Cannot use MCP server "${name}": ${read.reason}`);
			unusable.push(withoutConnection(name, "failed", read.reason));
			return Promise.resolve();
		}
		const { settings } = read;
		if (!settings.enabled) {
			unusable.push({ ...withoutConnection(name, "disabled"), transport: settings.kind });
			return Promise.resolve();
		}
		const { warnings } = read;
		for (const warning of warnings) ownLog.warning(warning);
		const server = new OpenServer({ name, settings, servers, warnings }, ownLog, {
			registry,
			place,
			parts,
			timing,
			home,
		});
		open.set(name, { written, server });
		return server.start();
	};

	const use = async (servers: Readonly<Record<string, unknown>>): Promise<void> => {
		order = Object.keys(servers);
		unusable = [];
		const gone = [...open].filter(([name, { written }]) => !isDeepStrictEqual(servers[name], written));
		for (const [name] of gone) open.delete(name);
		// Before the new ones: a name, a port or a lock may be the same.
		await settledWithin(Promise.all(gone.map(([, { server }]) => server[Symbol.asyncDispose]())), waitMs);
		const fresh = Object.entries(servers).filter(([name]) => !open.has(name));
		await settledWithin(Promise.all(fresh.map(([name, written]) => begin(name, written, order))), waitMs);
	};

	await use(options.servers);
	return {
		use,
		statuses() {
			const all = [...unusable, ...[...open.values()].map(({ server }) => server.status)];
			return all.toSorted((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
		},
		async [Symbol.asyncDispose]() {
			await Promise.all([...open.values()].map(({ server }) => server[Symbol.asyncDispose]()));
			await place[Symbol.asyncDispose]();
		},
	};
}

function withoutConnection(name: string, state: "failed" | "disabled", problem?: string): ServerStatus {
	return {
		name,
		transport: "stdio",
		state,
		tools: [],
		leftOut: [],
		warnings: [],
		...(problem !== undefined && { problem }),
	};
}
