/** Whether calls may run without a question: the user says so, and the policy of the machine has the last word. */

import type { LoadedConfig } from "../../config/load.ts";
import { yoloRefusal } from "../../config/policy-limits.ts";
import type { Cli } from "../subcommand.ts";

/** `--yolo` or HERMES_YOLO_MODE, unless the policy is stricter: then one line says that it has no effect. */
export function isYoloAllowed(cli: Cli, config: LoadedConfig, flag: boolean): boolean {
	if (!flag && !cli.environment.yolo) return false;
	const refusal = yoloRefusal(config.policy);
	if (refusal === undefined) return true;
	cli.stderr.write(`hermes: ${flag ? "--yolo" : "HERMES_YOLO_MODE"} has no effect: ${refusal}\n`);
	return false;
}
