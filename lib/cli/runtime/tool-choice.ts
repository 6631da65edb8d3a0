/** Which toolsets one surface gets: the command line first, then its platform's list, then everybody's. */

import { nearestName } from "../../base/nearest-name.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { Registry } from "../../registry/registry.ts";
import {
	holdsCore,
	resolveSelection,
	type Selection,
	toolsetNamed,
	toolsetNames,
	UnknownToolset,
} from "../../registry/toolsets.ts";
import { UsageError } from "../exit-codes.ts";

/** Who asks, and what the command line says. */
export interface ToolChoice {
	/** `cli`, or the name of a chat platform: its bundle is `hermes-<platform>`. */
	readonly platform: string;
	/** Toolsets or tools from `-t`; they beat the configuration. */
	readonly toolsets?: readonly string[] | undefined;
	/** Taken away besides what the configuration takes away. */
	readonly disabledToolsets?: readonly string[] | undefined;
}

const commandLine = "the command line";

/** A choice whose names are all known. */
export interface Chosen extends Selection {
	readonly enabled: readonly string[];
	readonly disabled: readonly string[];
	/** What the user should know, one line each. */
	readonly warnings: readonly string[];
}

/** The key that a platform's own list stands under. */
function platformKey(platform: string): string {
	return `platform_toolsets.${platform}`;
}

/** The key of what nobody gets. */
export const disabledKey = "agent.disabled_toolsets";

/**
 * What `choice` comes to. In a platform's list `!name` takes away.
 * @throws {UsageError} When a name is neither a toolset nor a tool: a deny list with a misspelt name protects nobody.
 */
export function chooseToolsets(registry: Registry, config: LoadedConfig, choice: ToolChoice): Chosen {
	const listed = enabledNames(registry, config, choice);
	const enabled = check(registry, { ...listed, names: listed.names.filter((name) => !name.startsWith("!")) });
	const excepted = listed.names.filter((name) => name.startsWith("!")).map((name) => name.slice(1));
	const disabled = [
		...check(registry, { source: listed.source, names: excepted }),
		...check(registry, { source: disabledKey, names: config.get(disabledKey) }),
		...check(registry, { source: commandLine, names: choice.disabledToolsets ?? [] }),
	];
	const { warnings } = resolveSelection(registry, { enabled, disabled });
	return { enabled, disabled, warnings: [...warnings, ...strayPlatforms(registry, config), ...strayVariables(config)] };
}

/** A list that enables, and where it stands. */
export interface EnablingList {
	/** The key that it has, or would have, in config.yaml. */
	readonly key: string;
	readonly isWritten: boolean;
	readonly names: readonly string[];
}

/** @throws {UsageError} When no platform has the name: a ban for it would ban nothing. */
export function checkPlatform(registry: Registry, platform: string | undefined): void {
	if (platform === undefined || isPlatform(registry, platform)) return;
	throw new UsageError(
		`Cannot select platform "${platform}": no platform has that name; ${platformAdvice(registry, platform)}`,
	);
}

function isPlatform(registry: Registry, name: string): boolean {
	return toolsetNamed(registry, `hermes-${name}`) !== undefined;
}

function platformAdvice(registry: Registry, name: string): string {
	const bundles = toolsetNames(registry).filter((toolset) => toolset.startsWith("hermes-"));
	const platforms = bundles.map((toolset) => toolset.slice("hermes-".length));
	const near = nearestName(name, platforms);
	return near === undefined ? `platforms are ${platforms.join(", ")}` : `did you mean "${near}"?`;
}

/** A list for a platform that does not exist rules nobody, and whoever wrote it believes that it does (#97111). */
function strayPlatforms(registry: Registry, { file }: LoadedConfig): string[] {
	const prefix = platformKey("");
	const names = [...file.values.keys()].flatMap((path) => (path.startsWith(prefix) ? [path.slice(prefix.length)] : []));
	return names
		.filter((name) => !isPlatform(registry, name))
		.map((name) => `${platformKey(name)} has no effect: no platform has that name; ${platformAdvice(registry, name)}`);
}

/**
 * The list that counts for `platform`: its own, for the command line also `toolsets`, else its bundle. Only the bundle of a
 * platform that strangers cannot write to grows by what the user has added.
 */
export function enablingList(registry: Registry, config: LoadedConfig, platform: string): EnablingList {
	const keys = platform === "cli" ? [platformKey(platform), "toolsets"] : [platformKey(platform)];
	for (const key of keys) {
		const setting = config.find(key);
		if (setting === undefined || setting.origin.kind === "default" || !Array.isArray(setting.value)) continue;
		return { key, isWritten: true, names: setting.value.map(String) };
	}
	const bundle = `hermes-${platform}`;
	const isKnown = toolsetNamed(registry, bundle) !== undefined;
	return { key: keys.at(-1) ?? "toolsets", isWritten: false, names: [isKnown ? bundle : "hermes-cli"] };
}

/** What the user has added himself: plug-ins that are enabled, servers that are configured. */
export function addedToolsets(registry: Registry, { key, isWritten, names }: EnablingList): readonly string[] {
	const isOpen = key === "toolsets" || (!isWritten && names.every((name) => holdsCore(registry, name)));
	return isOpen ? [...registry.declared.keys()] : [];
}

interface Listed {
	readonly source: string;
	readonly names: readonly string[];
}

function enabledNames(registry: Registry, config: LoadedConfig, { platform, toolsets }: ToolChoice): Listed {
	// A worker has to be able to hand its task back, whatever else it may do.
	const board = config.variables.HERMES_KANBAN_TASK ? ["kanban"] : [];
	if (toolsets !== undefined) return { source: commandLine, names: [...toolsets, ...board] };
	const list = enablingList(registry, config, platform);
	return { source: list.key, names: [...list.names, ...addedToolsets(registry, list), ...board] };
}

function check(registry: Registry, { source, names }: Listed): readonly string[] {
	try {
		resolveSelection(registry, { enabled: names });
		return names;
	} catch (cause) {
		if (!(cause instanceof UnknownToolset)) throw cause;
		const where = source === commandLine ? "" : ` (in ${source} of config.yaml)`;
		throw new UsageError(`${cause.message}${where}`, { cause });
	}
}

/** Variables that look as if they took tools away. */
function strayVariables({ variables }: LoadedConfig): string[] {
	return Object.keys(variables)
		.filter((name) => /^(?:HERMES_|AGENT_)*(?:DISABLED|ENABLED)_TOOL(?:SET)?S$/.test(name))
		.map((name) => `${name} is not read; use ${disabledKey} or toolsets in config.yaml (hermes tools disable NAME)`);
}
