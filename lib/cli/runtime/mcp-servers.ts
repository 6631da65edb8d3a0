/** The MCP servers of a run: what they are given of it, and how they follow the settings. */

import { isDeepStrictEqual } from "node:util";
import type { LoadedConfig } from "../../config/load.ts";
import type { Logger } from "../../log/logger.ts";
import type { ClientParts } from "../../mcp/client-parts.ts";
import type { ServerStatus } from "../../mcp/open-server.ts";
import type { OpenServers, OpenServersOptions } from "../../mcp/open-servers.ts";
import type { Registry } from "../../registry/registry.ts";
import type { Cli } from "../subcommand.ts";
import type { ServerPeople } from "./mcp-features.ts";
import { visible } from "./paint.ts";

/** The servers that the settings name. Disposing them ends every one. */
export interface RunServers extends AsyncDisposable {
	/** How each is now. */
	statuses(): readonly ServerStatus[];
	/** Makes them what `config` says; those whose entry is as it was go on. Never throws; waits like a start does. */
	follow(config: LoadedConfig): Promise<void>;
}

/** Starts the configured servers. Nothing of MCP is loaded before there is one, and none is started in safe mode. */
export async function openRunServers(
	cli: Cli,
	config: LoadedConfig,
	{
		people,
		...parts
	}: { readonly registry: Registry; readonly log: Logger; readonly people?: ServerPeople | undefined },
): Promise<RunServers> {
	let opened: OpenServers | undefined;
	let known: Readonly<Record<string, unknown>> = {};
	let isClosed = false;
	const apply = async (config: LoadedConfig): Promise<void> => {
		const servers = config.variables.HERMES_SAFE_MODE === "1" ? {} : config.get("mcp_servers");
		if (isClosed || isDeepStrictEqual(servers, known)) return;
		known = servers;
		declareServers(parts.registry, servers);
		if (opened !== undefined) return await opened.use(servers);
		const [{ openServers }, { featuresWith }] = await Promise.all([
			import("../../mcp/open-servers.ts"),
			import("./mcp-features.ts"),
		]);
		const waitMs = config.get("mcp.startup_seconds") * 1_000;
		const own = serverParts(cli, config, people && featuresWith(people));
		opened = await openServers({ ...own, ...parts, servers, waitMs });
	};
	// Two sessions may see the same change; the second one waits for the first.
	let applying = apply(config);
	await applying;
	for (const status of opened?.statuses() ?? []) {
		const notice = noticeOf(status);
		if (notice !== undefined) cli.stderr.write(`hermes: ${notice}\n`);
	}
	return {
		statuses: () => opened?.statuses() ?? [],
		follow(changed) {
			applying = applying.then(() => apply(changed));
			return applying;
		},
		async [Symbol.asyncDispose]() {
			isClosed = true;
			await applying;
			await opened?.[Symbol.asyncDispose]();
		},
	};
}

/** What a user should know of a server at the start of a run: the model does without its tools. */
function noticeOf({ name, state, problem }: ServerStatus): string | undefined {
	if (state === "connecting") return `MCP server "${name}" is not there yet; its tools come when it is`;
	if (problem === undefined || state === "disabled") return undefined;
	return `MCP server "${name}" cannot be used now: ${visible(problem)}`;
}

/** The toolset of a configured server is a right name before it is connected, and when it cannot be. */
export function declareServers(registry: Registry, servers: Readonly<Record<string, unknown>>): void {
	for (const server of Object.keys(servers)) {
		registry.declare(`mcp-${server}`, `Tools of the server ${server}`);
		registry.alias(server, `mcp-${server}`);
	}
}

/** The same for every server of a run; without `features` servers may ask nobody anything. */
export function serverParts(
	cli: Cli,
	config: LoadedConfig,
	features?: ClientParts["features"],
): Pick<OpenServersOptions, "variables" | "home" | "openSandbox" | "parts"> {
	const home = cli.environment.hermesHome;
	const { variables } = config;
	const logins = once(async () => (await import("../../mcp/auth/logins.ts")).createLogins(home));
	const malware = once(async () =>
		(await import("../../mcp/osv/malware-check.ts")).createMalwareCheck({ home, variables }),
	);
	return {
		variables,
		home,
		parts: {
			...(features && { features }),
			async login(server, fetch) {
				return (await logins())(server, fetch);
			},
			async refusal({ name, settings, log }, signal) {
				if (settings.kind !== "stdio") return undefined;
				const { command, args } = settings;
				return (await malware())({ name, command, args, log }, signal);
			},
		},
		async openSandbox({ backend: name, taskId }, signal) {
			const [{ configuredBackend }, { openContext }, { openTerminalLines }] = await Promise.all([
				import("./find-backend.ts"),
				import("./open-context.ts"),
				import("./terminal-lines.ts"),
			]);
			const { backend, settings } = await configuredBackend(cli, config, { backend: name });
			const verdict = await backend.available(settings, cli.environment.variables);
			if (verdict !== true) throw new Error(`Cannot use backend "${name}" for it: ${verdict}; see hermes doctor`);
			await using keyboard = openTerminalLines();
			return await backend.open(settings, { ...openContext(cli, backend, keyboard), signal, taskId });
		},
	};
}

/** Loaded for the first server that needs it, and shared by all. */
function once<T>(open: () => Promise<T>): () => Promise<T> {
	let opened: Promise<T> | undefined;
	return () => {
		opened ??= open();
		return opened;
	};
}
