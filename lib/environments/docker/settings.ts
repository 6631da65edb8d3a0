/** The settings of the docker backend, named as below `terminal.` in the configuration. */

import { z } from "zod";
import type { ThrowawayLife } from "../backend.ts";

const usualImage = "nikolaik/python-nodejs:python3.11-nodejs20";
const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** What a user may set. */
export const settings = z.object({
	docker_image: z.string().default(usualImage).describe("Image of docker containers"),
	cwd: z.string().default(".").describe("Folder commands start in"),
	sandbox_dir: z.string().default("").describe("Folder for the files of sandboxes"),
	lifetime_seconds: z.number().int().min(0).default(300).describe("Seconds an unused sandbox is kept"),
	container_cpu: z.number().min(0).default(1).describe("Processors of a container; 0 means all"),
	container_memory: z.number().int().min(0).default(5120).describe("Megabytes of memory of a container; 0 means all"),
	container_disk: z.number().int().min(0).default(51200).describe("Megabytes of disk of a container"),
	container_persistent: z.boolean().default(true).describe("Keep the files of a container"),
	docker_forward_env: z.array(z.string()).default([]).describe("Variables of this machine given to containers"),
	docker_volumes: z.array(z.string()).default([]).describe("Volumes of containers, host:container"),
	docker_env: z
		.record(
			z.string().regex(variableName, "is no name of a variable"),
			z.union([z.string(), z.number(), z.boolean()]).transform(String),
		)
		.default({})
		.describe("Variables set in containers"),
	docker_extra_args: z.array(z.string()).default([]).describe("Further arguments of docker run"),
	docker_mount_cwd_to_workspace: z.boolean().default(false).describe("Mount the current folder at /workspace"),
	docker_run_as_host_user: z.boolean().default(false).describe("Run containers with your user id"),
	docker_persist_across_processes: z.boolean().default(true).describe("Keep containers when hermes ends"),
	docker_orphan_reaper: z.boolean().default(true).describe("Remove containers left behind"),
	docker_gpus: z.string().default("").describe("GPUs of containers: all, a number, or device=0,1"),
	docker_shm_size: z.string().default("").describe("Size of /dev/shm, such as 1g"),
	docker_devices: z.array(z.string()).default([]).describe("Devices of containers, such as /dev/kvm"),
	docker_network: z.string().default("").describe("Network of containers: bridge, host, none or a name"),
	docker_ipc: z.string().default("").describe("IPC namespace of containers: private, shareable or host"),
	docker_runtime: z.string().default("").describe("Runtime of containers, such as runsc or nvidia"),
});

/** Settings with their defaults filled in. */
export type DockerSettings = z.output<typeof settings> & {
	/** Set for the container of one task alone; nothing that a user could set. */
	readonly life?: ThrowawayLife;
};
