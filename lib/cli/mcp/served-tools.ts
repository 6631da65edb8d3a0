/** The tool layer as an MCP server offers it: each client has a place of its own, and a call goes the way of a model's. */

import type { LoadedConfig } from "../../config/load.ts";
import type { Assembly } from "../../registry/definitions.ts";
import type { Registry } from "../../registry/registry.ts";
import type { Category } from "../../security/commands/categories.ts";
import type { Served, ServedTool } from "../../serve/mcp/served.ts";
import { annotationsOf } from "../../serve/mcp/tool-annotations.ts";
import { UsageError } from "../exit-codes.ts";
import { checkAvailable, configuredBackend } from "../runtime/find-backend.ts";
import { openToolbox, type Toolbox } from "../runtime/open-tools.ts";
import { startFolder } from "../runtime/start-folder.ts";
import { chooseToolsets } from "../runtime/tool-choice.ts";
import type { Cli } from "../subcommand.ts";
import { openClientSession } from "./client-session.ts";

/** What the operator chose. */
export interface ServedToolsOptions {
	readonly config: LoadedConfig;
	readonly cwd: string | undefined;
	readonly toolsets: readonly string[] | undefined;
	/** Kinds of danger that need no consent. */
	readonly allowed: readonly Category[];
	readonly yolo: boolean;
	/** Sandboxes are kept, and closed when idle, as the settings say; else each lasts as long as its client. */
	readonly keep: boolean;
}

/** What is served unless the operator says otherwise. */
const usualToolsets = ["terminal", "file", "code_execution"];

/**
 * Loads the tools and finds out whether the place can be opened; opens none before a client calls something.
 * @throws {UsageError} When a toolset is unknown or of another MCP server.
 * @throws {CommandFailed} When the folder does not exist.
 * @throws {BackendUnavailable} When the backend cannot be used.
 */
export async function openServedTools(cli: Cli, options: ServedToolsOptions): Promise<Served & AsyncDisposable> {
	const { config, cwd, toolsets = usualToolsets } = options;
	const configured = await configuredBackend(cli, config);
	await checkAvailable(cli, config, configured);
	startFolder(cli, { config, configured, typed: cwd });
	// Servers of other programs are for their clients to connect to; ours among them would start us again and again.
	const toolbox = await openToolbox(cli, config, { servers: false });
	try {
		const selection = selectionOf(toolbox, config, toolsets);
		const assemble = () => toolbox.assembler.assemble(selection);
		await assemble();
		return {
			name: "hermes",
			version: cli.version,
			instructions: instructionsFor(configured.backend.name),
			openSession: (tell) =>
				openClientSession(cli, { ...options, toolbox, assemble, tell, tools: listedBy(toolbox.registry, assemble) }),
			[Symbol.asyncDispose]: () => toolbox[Symbol.asyncDispose](),
		};
	} catch (cause) {
		await toolbox[Symbol.asyncDispose]();
		throw cause;
	}
}

function selectionOf({ registry }: Toolbox, config: LoadedConfig, toolsets: readonly string[]) {
	const foreign = toolsets.find((name) => name.startsWith("mcp-") || registry.aliases.get(name)?.startsWith("mcp-"));
	if (foreign !== undefined) {
		throw new UsageError(`Cannot serve "${foreign}": it is of another MCP server; let your client connect to that one`);
	}
	const ofConversations = registry.list().flatMap(({ name, scope }) => (scope === "agent" ? [name] : []));
	const { enabled, disabled } = chooseToolsets(registry, config, {
		platform: "cli",
		toolsets,
		disabledToolsets: ofConversations,
	});
	return { enabled, disabled };
}

function listedBy(registry: Registry, assemble: () => Promise<Assembly>) {
	return async (): Promise<readonly ServedTool[]> =>
		(await assemble()).definitions.map(({ name, description, parameters }) => ({
			name,
			description,
			inputSchema: { ...parameters, type: "object" as const },
			annotations: annotationsOf(registry.get(name) ?? { name, toolset: "" }),
		}));
}

function instructionsFor(backend: string): string {
	return [
		`These tools work in one place (backend ${backend}) with one shell session: folder and exported variables stay from one call to the next, and a path means the same to every tool.`,
		"Calls that change something run one after the other. The place, with what still runs in it, is closed when you disconnect.",
	].join(" ");
}
