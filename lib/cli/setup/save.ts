/** Writes what a part of the wizard has found out. */

import { setSetting } from "../../config/set.ts";
import { openSchema } from "../config/open-config.ts";
import type { Cli } from "../subcommand.ts";

/** Settings in the order in which they are written; a value that is there already is written again, which changes nothing. */
export async function saveSettings(
	cli: Cli,
	settings: readonly (readonly [path: string, value: string])[],
): Promise<void> {
	const schema = await openSchema(cli);
	for (const [path, written] of settings) {
		await setSetting({ home: cli.environment.hermesHome, path, written, schema });
	}
}
