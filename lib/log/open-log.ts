/** The log as the settings want it. */

import type { LoadedConfig } from "../config/load.ts";
import { createRedactor } from "../security/redact.ts";
import { createLogger, type RootLogger } from "./logger.ts";

/**
 * Opens the log of `home` with the `logging.` settings and a redactor that knows every credential of `config`.
 * `onFailure` is told once when the log cannot be written.
 */
export function openLog(home: string, config: LoadedConfig, onFailure?: (reason: string) => void): RootLogger {
	return createLogger({
		home,
		redact: createRedactor(config.secrets),
		level: config.get("logging.level"),
		maxBytes: Math.round(config.get("logging.max_size_mb") * 1024 * 1024),
		backups: config.get("logging.backup_count"),
		...(onFailure && { onFailure }),
	});
}
