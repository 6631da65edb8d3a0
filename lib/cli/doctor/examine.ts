/** Looks at everything, one section after the other; one that cannot be looked at does not keep the others from it. */

import { attempt, attemptAsync } from "../../base/attempt.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { Cli } from "../subcommand.ts";
import { examineBackends } from "./examine-backends.ts";
import { examineConfig } from "./examine-config.ts";
import { examineHome } from "./examine-home.ts";
import { examineKeys } from "./examine-keys.ts";
import { examinePrograms } from "./examine-programs.ts";
import { examineTools } from "./examine-tools.ts";
import type { Finding, Section } from "./finding.ts";

/** Everything there is to say. */
export async function examine(cli: Cli): Promise<Finding[]> {
	const { config, findings } = await examineConfig(cli);
	const parts: readonly (readonly [Section, () => Promise<Finding[]> | Finding[]])[] = [
		["runtime", () => [runtimeFinding(cli)]],
		["home", () => examineHome(cli.environment.hermesHome)],
		["config", () => findings],
		["keys", needing(config, (config) => examineKeys(cli, config))],
		["backends", needing(config, (config) => examineBackends(cli, config))],
		["tools", needing(config, (config) => examineTools(cli, config))],
		["programs", () => examinePrograms(cli.environment.variables, config)],
	];
	const found: Finding[] = [];
	for (const [section, look] of parts) {
		const looked = await attemptAsync(look);
		if (looked.ok) found.push(...looked.value);
		else found.push({ section, name: section, status: "failed", detail: looked.reason });
	}
	return found;
}

/** Repairs what can be repaired and says so; false when there was nothing. */
export function repair(cli: Cli, findings: readonly Finding[]): boolean {
	const repairable = findings.filter((finding) => finding.repair !== undefined);
	for (const finding of repairable) {
		const repaired = attempt(() => finding.repair?.());
		cli.stderr.write(
			`hermes: ${repaired.ok ? "repaired" : "cannot repair"} ${finding.name}${repaired.ok ? "" : `: ${repaired.reason}`}\n`,
		);
	}
	return repairable.length > 0;
}

function needing(config: LoadedConfig | undefined, look: (config: LoadedConfig) => Promise<Finding[]>) {
	return async () => (config === undefined ? [] : await look(config));
}

function runtimeFinding({ version }: Cli): Finding {
	const { platform, arch } = process;
	const detail = `hermes ${version}, Bun ${Bun.version}, ${platform} ${arch}`;
	return { section: "runtime", name: "version", status: "ok", detail };
}
