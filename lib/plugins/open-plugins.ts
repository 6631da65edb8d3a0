/** Brings the enabled plug-ins of a user into a registry and its hooks. Their processes start when they are first called. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nearestName } from "../base/nearest-name.ts";
import { type Logger, silentLogger } from "../log/logger.ts";
import { foreignTool } from "../registry/foreign-tool.ts";
import type { Hooks } from "../registry/hooks.ts";
import type { Registry } from "../registry/registry.ts";
import { isNode } from "../registry/schema/nodes.ts";
import { answerFrom, type Tool, type ToolContext, toolResult } from "../registry/tool.ts";
import { childEnvironment } from "../security/child-environment.ts";
import childProgram from "./child/main.js" with { type: "text" };
import { findPlugins } from "./find-plugins.ts";
import type { FoundPlugin, Manifest } from "./manifest.ts";
import { createPluginProcess, type PluginProcess } from "./plugin-process.ts";

/** What plug-ins are opened with. */
export interface PluginsOptions {
	/** HERMES_HOME. */
	readonly home: string;
	/** Names the user has enabled. */
	readonly enabled: readonly string[];
	/** The environment with `.env`; plug-ins see it without secrets, but for those that they name. */
	readonly variables: Readonly<Record<string, string>>;
	readonly registry: Registry;
	readonly hooks: Hooks;
	readonly log?: Logger;
}

/** The plug-ins of one run. Disposing it ends their processes. */
export interface OpenPlugins extends AsyncDisposable {
	/** Toolsets that they brought, also those without tools. */
	readonly toolsets: readonly string[];
	/** What is wrong with them, one line each. */
	readonly problems: readonly string[];
}

/** Seconds that a hook of a plug-in may hold up every call. */
const hookTimeoutSeconds = 5;

/** Opens what is enabled; a broken plug-in is a problem of its own and stops no other. */
export async function openPlugins(options: PluginsOptions): Promise<OpenPlugins> {
	const { enabled } = options;
	if (enabled.length === 0) return { toolsets: [], problems: [], [Symbol.asyncDispose]: async () => {} };
	const found = new Map((await findPlugins(options.home)).map((plugin) => [plugin.name, plugin]));
	const problems: string[] = [];
	const usable = [...new Set(enabled)].flatMap((name) => {
		const plugin = found.get(name);
		if (plugin?.ok) return [plugin];
		problems.push(`Cannot use plug-in "${name}": ${plugin?.reason ?? missing(name, found)}`);
		// Known while it is broken, so that a configuration that names it stays right.
		options.registry.declare(name, `Tools of the plug-in ${name}, which cannot be used`);
		return [];
	});
	const opened = new AsyncDisposableStack();
	if (usable.length > 0) {
		const scripts = layOutScripts();
		opened.defer(() => rmSync(scripts, { recursive: true, force: true }));
		for (const plugin of usable)
			problems.push(...addPlugin(options, plugin, opened.use(processOf(options, plugin, scripts))));
	}
	return { toolsets: [...new Set(enabled)], problems, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

function missing(name: string, found: ReadonlyMap<string, FoundPlugin>): string {
	const nearest = nearestName(name, found.keys());
	return nearest === undefined ? "there is no such folder" : `there is no such folder; did you mean "${nearest}"?`;
}

/** In a folder of ours: beside a module, the runtime would look for settings and packages. */
function layOutScripts(): string {
	const folder = mkdtempSync(join(tmpdir(), "hermes-plugins-"));
	writeFileSync(join(folder, "main.js"), childProgram);
	writeFileSync(join(folder, "bunfig.toml"), "");
	return folder;
}

type UsablePlugin = Extract<FoundPlugin, { ok: true }>;

function processOf(options: PluginsOptions, { name, folder, manifest }: UsablePlugin, scripts: string): PluginProcess {
	const { variables, log = silentLogger } = options;
	const asked = manifest.environment.flatMap((variable) => {
		const value = variables[variable];
		return value === undefined ? [] : [[variable, value] as const];
	});
	const environment = { ...childEnvironment(variables), ...Object.fromEntries(asked) };
	return createPluginProcess({ name, folder, main: manifest.main, environment, scripts, log: log.named("plugins") });
}

/** Returns what was refused. */
function addPlugin({ registry, hooks }: PluginsOptions, plugin: UsablePlugin, process: PluginProcess): string[] {
	const { manifest, name } = plugin;
	registry.declare(name, manifest.description || `Tools of the plug-in ${name}`);
	for (const hook of manifest.hooks) {
		hooks.on(hook, (payload) =>
			process.call({ kind: "hook", name: hook, input: payload, context: {}, timeoutSeconds: hookTimeoutSeconds }),
		);
	}
	return manifest.tools.flatMap((tool) => {
		const refusal = registry.register(toolOf(manifest, tool, process), { override: tool.override });
		return refusal === undefined ? [] : [`Cannot use tool "${tool.name}" of plug-in "${name}": ${refusal}`];
	});
}

function toolOf(manifest: Manifest, tool: Manifest["tools"][number], process: PluginProcess): Tool {
	const timeoutSeconds = manifest.timeout_seconds;
	return foreignTool({
		name: tool.name,
		toolset: manifest.name,
		description: tool.description,
		parameters: tool.parameters,
		source: { kind: "plugin", name: manifest.name },
		readOnly: tool.read_only,
		isUntrusted: tool.untrusted,
		...(tool.result_limit !== undefined && { resultLimit: tool.result_limit }),
		async run(args, context) {
			const call = {
				kind: "tool" as const,
				name: tool.name,
				input: args,
				context: contextFor(context),
				timeoutSeconds,
			};
			const value = await process.call({ ...call, signal: context.signal });
			if (typeof value === "string") return answerFrom(value);
			return toolResult(isNode(value) ? value : { result: value });
		},
	});
}

/** What a plug-in is told of the call; the session's shell is not passed on. */
function contextFor({
	sessionId,
	taskId,
	cwd,
	ranOn,
	callId = "",
	turnId = "",
}: ToolContext): Readonly<Record<string, string>> {
	return { sessionId, taskId, cwd, ranOn, callId, turnId };
}
