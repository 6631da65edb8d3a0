/** What the user has set about checkpoints. */

import type { LoadedConfig } from "../../config/load.ts";
import { type CheckpointLimits, checkpointTimeout } from "./limits.ts";

/** The limits of `config`. */
export function checkpointLimits(config: LoadedConfig): CheckpointLimits {
	return {
		maxSnapshots: config.get("checkpoints.max_snapshots"),
		maxTotalMegabytes: config.get("checkpoints.max_total_size_mb"),
		maxFileMegabytes: config.get("checkpoints.max_file_size_mb"),
		retentionDays: config.get("checkpoints.retention_days"),
		autoPrune: config.get("checkpoints.auto_prune"),
		deleteOrphans: config.get("checkpoints.delete_orphans"),
		timeoutSeconds: checkpointTimeout(config.variables.HERMES_CHECKPOINT_TIMEOUT),
	};
}
