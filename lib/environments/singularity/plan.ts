/** What an instance is started with. */

import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { BoundPlace } from "../backend.ts";
import type { SingularitySettings } from "./settings.ts";

/** Where the session's files of variables are seen inside. */
export const environmentFolder = "/.hermes";

const workspace = "/workspace";

/** What the words depend on besides the settings. */
export interface PlanFacts {
	/** Folder whose files keep; undefined for files in memory. */
	readonly overlay: string | undefined;
	/** A folder for /tmp and /var/tmp, which apptainer would keep in 64 MB of memory. */
	readonly work: string;
	/** A folder of ours, seen as `environmentFolder`. */
	readonly files: string;
	/** The user's home folder, for `~/`. */
	readonly userHome: string;
	/** Seen read-only. */
	readonly boundPlaces?: readonly BoundPlace[] | undefined;
	warn(text: string): void;
}

/** Words of `instance start`, in two parts: what must be, and the limits, which not every machine can keep. */
export interface InstancePlan {
	readonly words: readonly string[];
	readonly limits: readonly string[];
}

/** Plans an instance. */
export function planInstance(settings: SingularitySettings, facts: PlanFacts): InstancePlan {
	const { container_cpu: cpus, container_memory: megabytes, singularity_gpu: gpu } = settings;
	const volumes = settings.singularity_volumes.flatMap((volume) => userVolume(volume, facts));
	const cwd = volumes.some(isWorkspace) ? undefined : mountedFolder(settings, facts);
	const binds = [
		`${facts.files}:${environmentFolder}:ro`,
		...(facts.boundPlaces ?? []).map(({ from, to }) => `${from}:${to}:ro`),
		...volumes,
		...(cwd === undefined ? [] : [`${cwd}:${workspace}`]),
	];
	return {
		words: [
			"--containall",
			"--no-home",
			...(facts.overlay === undefined ? ["--writable-tmpfs"] : ["--overlay", facts.overlay]),
			...["--workdir", facts.work],
			...binds.flatMap((bind) => ["--bind", bind]),
			...(gpu === "none" ? [] : [`--${gpu}`]),
		],
		limits: [...(megabytes > 0 ? ["--memory", `${megabytes}M`] : []), ...(cpus > 0 ? ["--cpus", String(cpus)] : [])],
	};
}

function isWorkspace(bind: string): boolean {
	return bind.split(":")[1] === workspace;
}

function userVolume(volume: string, { userHome, warn }: PlanFacts): string[] {
	const [source = "", target = "", mode = "rw", more] = volume.split(":");
	const path = resolve(source.replace(/^~(?=\/|$)/, () => userHome));
	const isSound =
		source !== "" && target.startsWith("/") && /^r[ow]$/.test(mode) && more === undefined && !volume.includes(",");
	if (!isSound) {
		warn(`terminal.singularity_volumes: "${volume}" is no volume such as /here:/there:ro and is left out`);
		return [];
	}
	// Apptainer refuses the whole instance otherwise.
	if (statSync(path, { throwIfNoEntry: false }) !== undefined) return [`${path}:${target}:${mode}`];
	warn(`terminal.singularity_volumes: "${source}" is not there and is left out`);
	return [];
}

/** The folder to work in, when the user asked for it to be mounted and it can be. */
function mountedFolder(settings: SingularitySettings, { userHome, warn }: PlanFacts): string | undefined {
	if (!settings.singularity_mount_cwd_to_workspace) return undefined;
	const folder = resolve(settings.cwd.replace(/^~(?=\/|$)/, () => userHome));
	if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return realpathSync(folder);
	warn(`Cannot mount "${folder}" at ${workspace}: there is no such folder`);
	return undefined;
}
