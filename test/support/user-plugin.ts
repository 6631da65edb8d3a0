/** User plug-ins in a temporary home, for tests. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Writes `HERMES_HOME/plugins/<name>` with a manifest and a module; returns its folder. */
export function writePlugin(
	home: string,
	name: string,
	{ manifest, module }: { readonly manifest: Readonly<Record<string, unknown>>; readonly module: string },
): string {
	const folder = join(home, "plugins", name);
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, "plugin.json"), JSON.stringify({ name, ...manifest }));
	writeFileSync(join(folder, "index.ts"), module);
	return folder;
}
