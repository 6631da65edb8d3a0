/** Which tools a model can be given here, and why it cannot be given the others. */

import type { LoadedConfig } from "../../config/load.ts";
import type { Registry } from "../../registry/registry.ts";
import { UsageError } from "../exit-codes.ts";
import { openToolbox } from "../runtime/open-tools.ts";
import { chooseToolsets } from "../runtime/tool-choice.ts";
import type { Cli } from "../subcommand.ts";
import type { Finding } from "./finding.ts";

const section = "tools";

/** A line for every tool that cannot be used, and one for those that can. */
export async function examineTools(cli: Cli, config: LoadedConfig): Promise<Finding[]> {
	await using toolbox = await openToolbox(cli, config);
	const { registry } = toolbox;
	const verdicts = await Promise.all(
		registry.list().map(async (tool) => ({ tool, verdict: await registry.availability.check(tool) })),
	);
	const usable = verdicts.filter(({ verdict }) => verdict === true).map(({ tool }) => tool.name);
	return [
		{ section, name: `${usable.length} tools`, status: "ok", detail: usable.join(", ") },
		...verdicts
			.filter(({ verdict }) => verdict !== true)
			.map(({ tool, verdict }): Finding => {
				const needed = tool.environment?.join(", ");
				const remedy = needed ? { remedy: `set ${needed}: hermes config set NAME -` } : {};
				return { section, name: tool.name, status: "warning", detail: String(verdict), ...remedy };
			}),
		...registry.failures.map(
			({ name, reason }): Finding => ({ section, name, status: "failed", detail: `cannot be loaded: ${reason}` }),
		),
		...examineChoice(registry, config),
	];
}

/** Names in lists of toolsets that enable or forbid nothing: whoever wrote them believes that they do. */
function examineChoice(registry: Registry, config: LoadedConfig): Finding[] {
	const name = "selection";
	try {
		const { warnings } = chooseToolsets(registry, config, { platform: "cli" });
		return warnings.map((detail) => ({ section, name, status: "warning", detail }));
	} catch (cause) {
		if (!(cause instanceof UsageError)) throw cause;
		return [{ section, name, status: "failed", detail: cause.message }];
	}
}
