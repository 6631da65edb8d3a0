/** Whether calls may run without a question: the user says so, and the policy of the machine has the last word. */

import type { LoadedConfig } from "../../config/load.ts";
import { yoloRefusal } from "../../config/policy-limits.ts";
import { approvalSettings } from "../../security/approval/settings.ts";
import { type ApprovalMode, modeOn, type Surface } from "../../security/approval/surface.ts";
import type { Cli } from "../subcommand.ts";

/** What happens to dangerous calls on `surface`; `yolo` is what the command line says. Warnings go to standard error. */
export function approvalMode(
	cli: Cli,
	config: LoadedConfig,
	{ surface, yolo }: { readonly surface: Surface; readonly yolo: boolean },
): ApprovalMode {
	const settings = approvalSettings(config, cli.environment.hermesHome);
	for (const warning of settings.warnings) cli.stderr.write(`hermes: ${warning}\n`);
	return modeOn(surface, settings, { isYolo: isYoloAllowed(cli, config, yolo) });
}

/** The same for sub-agents, which have nobody to ask wherever they work; what is odd is said for their conversation already. */
export function childApprovalMode(cli: Cli, config: LoadedConfig, { yolo }: { readonly yolo: boolean }): ApprovalMode {
	const isYolo = (yolo || cli.environment.yolo) && yoloRefusal(config.policy) === undefined;
	return modeOn("subagent", approvalSettings(config, cli.environment.hermesHome), { isYolo });
}

/** `--yolo` or HERMES_YOLO_MODE, unless the policy is stricter: then one line says that it has no effect. */
function isYoloAllowed(cli: Cli, config: LoadedConfig, flag: boolean): boolean {
	if (!flag && !cli.environment.yolo) return false;
	const refusal = yoloRefusal(config.policy);
	if (refusal === undefined) return true;
	cli.stderr.write(`hermes: ${flag ? "--yolo" : "HERMES_YOLO_MODE"} has no effect: ${refusal}\n`);
	return false;
}
