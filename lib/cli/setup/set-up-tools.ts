/** The third part: which toolsets the model has. */

import { resolveSelection } from "../../registry/toolsets.ts";
import { openToolbox } from "../runtime/open-tools.ts";
import { openSettings } from "../runtime/settings.ts";
import { chooseToolsets } from "../runtime/tool-choice.ts";
import type { Cli } from "../subcommand.ts";
import { disableTools, enableTools } from "../tools/switch-tools.ts";
import { pickSome } from "./wizard.ts";

/** One toolset as it is now. */
interface Standing {
	readonly name: string;
	readonly tools: readonly string[];
	readonly isEnabled: boolean;
	/** Why none of it can be used yet. */
	readonly missing: string | undefined;
}

/** Asks and saves. Returns what was set, as a sentence. @throws {LeftSetup} */
export async function setUpTools(cli: Cli): Promise<string> {
	const standing = await toolsetsNow(cli);
	const enabled = standing.filter(({ isEnabled }) => isEnabled).map(({ name }) => name);
	const chosen = await pickSome(
		"Which tools may the model use? (space marks, enter saves)",
		standing.map(({ name, tools, missing }) => ({ value: name, hint: missing ?? tools.join(", ") })),
		enabled,
	);
	const added = chosen.filter((name) => !enabled.includes(name));
	const removed = enabled.filter((name) => !chosen.includes(name));
	if (added.length > 0) await enableTools(cli, { names: added, platform: undefined });
	if (removed.length > 0) await disableTools(cli, { names: removed, platform: undefined });
	return `The model has ${chosen.length === 0 ? "no tools" : chosen.join(", ")}`;
}

async function toolsetsNow(cli: Cli): Promise<Standing[]> {
	const config = await openSettings(cli, {});
	await using toolbox = await openToolbox(cli, config, { servers: false });
	const { registry, assembler } = toolbox;
	const { names } = resolveSelection(registry, chooseToolsets(registry, config, { platform: "cli" }));
	const reasons = new Map((await assembler.assemble()).unavailable.map(({ name, reason }) => [name, reason]));
	const byToolset = Map.groupBy(registry.list(), ({ toolset }) => toolset);
	return [...byToolset].map(([name, tools]) => {
		const ready = tools.filter((tool) => !reasons.has(tool.name));
		return {
			name,
			tools: tools.map((tool) => tool.name),
			isEnabled: tools.some((tool) => names.has(tool.name)),
			missing: ready.length === 0 ? reasons.get(tools[0]?.name ?? "") : undefined,
		};
	});
}
