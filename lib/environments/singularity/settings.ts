/** The settings of the singularity backend, named as below `terminal.` in the configuration. */

import { z } from "zod";
import type { ThrowawayLife } from "../backend.ts";

const usualImage = "docker://nikolaik/python-nodejs:python3.11-nodejs20";

/** What a user may set. */
export const settings = z.object({
	singularity_image: z
		.string()
		.default(usualImage)
		.describe("Image of singularity instances: a .sif file, a folder, or docker://NAME"),
	cwd: z.string().default(".").describe("Folder commands start in"),
	sandbox_dir: z.string().default("").describe("Folder for the files of sandboxes"),
	scratch_dir: z.string().default("").describe("Folder for overlays and images of singularity"),
	disk_warning_gb: z.number().min(0).default(500).describe("Gigabytes of overlays after which a warning is given"),
	container_cpu: z.number().min(0).default(1).describe("Processors of a container; 0 means all"),
	container_memory: z.number().int().min(0).default(5120).describe("Megabytes of memory of a container; 0 means all"),
	container_persistent: z.boolean().default(true).describe("Keep the files of a container"),
	singularity_volumes: z
		.array(z.string())
		.default([])
		.describe("Folders of this machine in instances, /here:/there or /here:/there:ro"),
	singularity_mount_cwd_to_workspace: z.boolean().default(false).describe("Mount the current folder at /workspace"),
	singularity_gpu: z
		.enum(["none", "nv", "rocm"])
		.default("none")
		.describe("GPUs in instances: nv for NVIDIA, rocm for AMD"),
});

/** Settings with their defaults filled in. */
export type SingularitySettings = z.output<typeof settings> & {
	/** Set for the instance of one task alone; nothing that a user could set. */
	readonly life?: ThrowawayLife;
};
