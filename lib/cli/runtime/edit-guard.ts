/** Checkpoints before the edits of a run, as the user has set them. */

import { join } from "node:path";
import type { LoadedConfig } from "../../config/load.ts";
import { EditGuard, type EditPlace } from "../../files/checkpoints/edit-guard.ts";
import type { CheckpointStore } from "../../files/checkpoints/limits.ts";
import { checkpointLimits } from "../../files/checkpoints/settings.ts";
import type { Logger } from "../../log/logger.ts";
import type { Tool, ToolContext } from "../../registry/tool.ts";
import { createRedactor } from "../../security/redact.ts";
import type { Cli } from "../subcommand.ts";
import { shortArgument } from "./short-call.ts";

/** Runs before a call that may change files. */
export type KeepBefore = (tool: Tool, args: Readonly<Record<string, unknown>>, context: ToolContext) => Promise<void>;

/** What keeps files, and what a run waits for when it ends. */
export interface RunCheckpoints {
	readonly keepBefore: KeepBefore;
	settled(): Promise<void>;
}

/** Nothing where checkpoints are off. */
export function openCheckpoints(cli: Cli, config: LoadedConfig, log: Logger): RunCheckpoints | undefined {
	if (!config.get("checkpoints.enabled")) return undefined;
	const redact = createRedactor(config.secrets);
	const guard = new EditGuard({
		limits: checkpointLimits(config),
		storeOf: (ranOn) => checkpointStore(cli, ranOn),
		onWarning: (text) => cli.stderr.write(`hermes: ${text}\n`),
		log: log.named("checkpoints"),
	});
	return {
		async keepBefore(tool, args, context) {
			const paths = tool.edits?.(args, context) ?? [];
			if (paths.length === 0) return;
			const reason = redact(`before ${tool.name} ${shortArgument(JSON.stringify(args))}`).trim();
			// A call that belongs to no turn is one of its own.
			await guard.before(quietly(context), { paths, reason, turn: context.turnId ?? crypto.randomUUID() });
		},
		settled: () => guard.settled(),
	};
}

/** Where the checkpoints of files on `ranOn` are: those of this machine in HERMES_HOME, others where the files are. */
export function checkpointStore(cli: Cli, ranOn: string): CheckpointStore {
	return ranOn === "local" ? { folder: join(cli.environment.hermesHome, "checkpoints") } : {};
}

function quietly({ execute, cwd, ranOn }: ToolContext): EditPlace {
	return { execute, cwd, ranOn };
}
