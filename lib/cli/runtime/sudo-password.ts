/** The password for sudo that the user has set. */

import type { LoadedConfig } from "../../config/load.ts";

/** Undefined when none is set; an empty one is a password that is tried as it is. */
export function sudoPassword(config: LoadedConfig): string | undefined {
	const setting = config.find("terminal.sudo_password");
	if (setting !== undefined && setting.origin.kind !== "default") return config.get("terminal.sudo_password");
	return config.variables.SUDO_PASSWORD;
}
