/** Where overlays, work folders and images lie on this machine. */

import { accessSync, constants, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { SingularitySettings } from "./settings.ts";

/** The folders, which exist. */
export interface Scratch {
	readonly root: string;
	/** One folder a task, kept. */
	readonly overlays: string;
	/** Built images. */
	readonly images: string;
}

/** The folder in the settings, else the user's on /scratch of a cluster, else one beside the other sandboxes. */
export function openScratch(
	settings: SingularitySettings,
	{ home, environment }: { readonly home: string; readonly environment: Readonly<Record<string, string>> },
): Scratch {
	const root = scratchRoot(settings, home, environment);
	const overlays = join(root, "hermes-overlays");
	const images = environment.APPTAINER_CACHEDIR || join(root, ".apptainer");
	for (const folder of [overlays, images]) mkdirSync(folder, { recursive: true, mode: 0o700 });
	return { root, overlays, images };
}

function scratchRoot(
	{ scratch_dir, sandbox_dir }: SingularitySettings,
	home: string,
	{ USER, HOME = "" }: Readonly<Record<string, string | undefined>>,
): string {
	if (scratch_dir !== "") return scratch_dir.replace(/^~(?=\/|$)/, () => HOME);
	const shared = `/scratch/${USER}`;
	if (USER && isWritable(shared)) return join(shared, "hermes-agent");
	return join(sandbox_dir === "" ? join(home, "sandboxes") : sandbox_dir, "singularity");
}

function isWritable(folder: string): boolean {
	try {
		accessSync(folder, constants.W_OK | constants.X_OK);
		return true;
	} catch {
		// Most machines have no such folder.
		return false;
	}
}
