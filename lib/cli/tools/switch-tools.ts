/** What `hermes tools enable` and `disable` share: names that must be right, and lists that are changed. */

import type { LoadedConfig } from "../../config/load.ts";
import type { Registry } from "../../registry/registry.ts";
import { resolveSelection, UnknownToolset } from "../../registry/toolsets.ts";
import { UsageError } from "../exit-codes.ts";
import { changeList } from "../runtime/change-list.ts";
import { openToolbox } from "../runtime/open-tools.ts";
import { openSettings } from "../runtime/settings.ts";
import { addedToolsets, checkPlatform, chooseToolsets, disabledKey, enablingList } from "../runtime/tool-choice.ts";
import type { Cli } from "../subcommand.ts";

/** What to change. */
export interface Switch {
	readonly names: readonly string[];
	/** Only here; everywhere when left out. */
	readonly platform: string | undefined;
}

/**
 * Takes names out of every deny list, and adds those that the list of the platform (the command line's without one) does
 * not give anyway.
 * @throws {UsageError} When a name is neither a toolset nor a tool; nothing is changed then.
 */
export async function enableTools(cli: Cli, { names, platform }: Switch): Promise<void> {
	const state = await openState(cli, { names, platform });
	const home = cli.environment.hermesHome;
	if (platform === undefined) {
		await changeList(home, disabledKey, (list) => list?.filter((name) => !names.includes(name)));
	}
	const list = enablingList(state.registry, state.config, platform ?? "cli");
	const lifted = list.names.filter((entry) => !(entry.startsWith("!") && names.includes(entry.slice(1))));
	const given = [...lifted, ...addedToolsets(state.registry, list)].filter((entry) => !entry.startsWith("!"));
	const missing = names.filter((name) => !isGiven(state.registry, given, name));
	if (missing.length > 0 || lifted.length < list.names.length) {
		await changeList(home, list.key, () => [...lifted, ...missing]);
	}
	await report(cli, platform);
}

/**
 * Adds names to the list of what nobody gets, or takes them out of one platform's list.
 * @throws {UsageError} When a name is neither a toolset nor a tool; nothing is changed then.
 */
export async function disableTools(cli: Cli, { names, platform }: Switch): Promise<void> {
	const { registry, config } = await openState(cli, { names, platform });
	const home = cli.environment.hermesHome;
	if (platform === undefined) {
		await changeList(home, disabledKey, (list = []) => [...new Set([...list, ...names])]);
	} else {
		const list = enablingList(registry, config, platform);
		const kept = list.names.filter((entry) => !names.includes(entry));
		const brought = addedToolsets(registry, list);
		const still = names.filter((name) => mayGive(registry, [...kept, ...brought], name));
		await changeList(home, list.key, () => [...new Set([...kept, ...still.map((name) => `!${name}`)])]);
	}
	await report(cli, platform);
}

interface State {
	readonly registry: Registry;
	readonly config: LoadedConfig;
}

async function openState(cli: Cli, { names, platform }: Switch): Promise<State> {
	if (names.length === 0) throw new UsageError("Cannot select nothing: name a toolset or a tool");
	const config = await openSettings(cli, {});
	await using toolbox = await openToolbox(cli, config);
	checkPlatform(toolbox.registry, platform);
	try {
		resolveSelection(toolbox.registry, { enabled: names });
	} catch (cause) {
		if (cause instanceof UnknownToolset) throw new UsageError(cause.message, { cause });
		throw cause;
	}
	return { registry: toolbox.registry, config };
}

/** Whether `entries` give all of `name` already. */
function isGiven(registry: Registry, entries: readonly string[], name: string): boolean {
	const { names: given } = resolveSelection(registry, { enabled: entries });
	const { names: wanted } = resolveSelection(registry, { enabled: [name] });
	return entries.includes(name) || (wanted.size > 0 && [...wanted].every((tool) => given.has(tool)));
}

/** Whether `entries` give anything of `name`. */
function mayGive(registry: Registry, entries: readonly string[], name: string): boolean {
	const plain = entries.filter((entry) => !entry.startsWith("!"));
	const { names: given } = resolveSelection(registry, { enabled: plain });
	const { names: wanted } = resolveSelection(registry, { enabled: [name] });
	return [...wanted].some((tool) => given.has(tool));
}

/** Says what is odd about the lists as they are now. */
async function report(cli: Cli, platform = "cli"): Promise<void> {
	const config = await openSettings(cli, {});
	await using toolbox = await openToolbox(cli, config);
	for (const warning of chooseToolsets(toolbox.registry, config, { platform }).warnings) {
		cli.stderr.write(`hermes: ${warning}\n`);
	}
}
