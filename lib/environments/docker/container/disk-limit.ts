/** The size of a container's disk, where the engine can limit it. */

import type Docker from "dockerode";
import type { DockerSettings } from "../settings.ts";
import { settings as schema } from "../settings.ts";
import type { EngineFacts } from "./engine-facts.ts";

/**
 * `request` with the disk limit of the settings. Only overlay2 on xfs with project quotas can keep one, which only a try tells;
 * elsewhere the request stays as it is, and `warn` hears of it when the user had asked.
 */
export async function withDiskLimit(
	docker: Docker,
	request: Docker.ContainerCreateOptions,
	context: { readonly settings: DockerSettings; readonly facts: EngineFacts; warn(text: string): void },
): Promise<Docker.ContainerCreateOptions> {
	const { settings, facts, warn } = context;
	const megabytes = settings.container_disk;
	if (megabytes === 0) return request;
	const StorageOpt = { size: `${megabytes}m` };
	const limited = { ...request, HostConfig: { ...request.HostConfig, StorageOpt } };
	if (facts.storageDriver === "overlay2" && facts.fileSystem === "xfs" && (await canCreate(docker, limited)))
		return limited;
	const isAsked = megabytes !== schema.shape.container_disk.parse(undefined);
	if (isAsked)
		warn(`The engine cannot limit a container's disk (${facts.storageDriver} on ${facts.fileSystem ?? "unknown"})`);
	return request;
}

async function canCreate(docker: Docker, request: Docker.ContainerCreateOptions): Promise<boolean> {
	try {
		const container = await docker.createContainer(request);
		await container.remove({ v: true });
		return true;
	} catch {
		// Whatever is wrong with the rest of the request, its real creation says.
		return false;
	}
}
