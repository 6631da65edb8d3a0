/** The user's plug-ins: the folders in `HERMES_HOME/plugins`. */

import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { attemptAsync } from "../base/attempt.ts";
import { type FoundPlugin, readPlugin } from "./manifest.ts";

/** Where plug-ins are. */
export function pluginFolder(home: string): string {
	return join(home, "plugins");
}

/** Every plug-in of `home` in name order, broken ones with their reason. Nothing of them runs. */
export async function findPlugins(home: string): Promise<FoundPlugin[]> {
	const parent = pluginFolder(home);
	if (!statSync(parent, { throwIfNoEntry: false })?.isDirectory()) return [];
	const names = readdirSync(parent)
		.filter((name) => !name.startsWith(".") && statSync(join(parent, name), { throwIfNoEntry: false })?.isDirectory())
		.sort();
	return Promise.all(
		names.map(async (name) => {
			const folder = join(parent, name);
			const read = await attemptAsync(() => readPlugin(folder, name));
			return read.ok ? read.value : { ok: false as const, name, folder, reason: read.reason };
		}),
	);
}
