/** The settings of a container that is one task's alone. */

import type { ThrowawayLife } from "../../backend.ts";
import type { DockerSettings } from "../settings.ts";

/** Nothing of it is kept, and what the user's volumes hold can only be read. What `docker_extra_args` mount is the user's own affair. */
export function throwawaySettings(settings: DockerSettings, life: ThrowawayLife): DockerSettings {
	return {
		...settings,
		life,
		container_persistent: false,
		docker_persist_across_processes: false,
		docker_mount_cwd_to_workspace: false,
		docker_volumes: settings.docker_volumes.filter((volume) => !isWorkspace(volume)).map(readOnly),
	};
}

/** The copy of the files goes there. */
function isWorkspace(volume: string): boolean {
	return volume.split(":")[1] === "/workspace";
}

/** `A:B`, `A:B:rw` and `A:B:rw,z` as volumes that cannot be written to. */
function readOnly(volume: string): string {
	const [from = "", to, options = ""] = volume.split(":");
	if (to === undefined) return volume;
	const others = options.split(",").filter((option) => option !== "" && option !== "rw" && option !== "ro");
	return [from, to, ["ro", ...others].join(",")].join(":");
}
