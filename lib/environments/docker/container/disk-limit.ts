/** The size of a container's disk, where the engine can limit it. */

import type Docker from "dockerode";
import { z } from "zod";
import type { DockerSettings } from "../settings.ts";
import { settings as schema } from "../settings.ts";

const info = z.looseObject({
	NCPU: z.number().default(Number.POSITIVE_INFINITY),
	Driver: z.string().default(""),
	DriverStatus: z.array(z.tuple([z.string(), z.string()]).rest(z.string())).nullish(),
});

/** What of the engine's machine a request depends on. */
export type EngineFacts = z.output<typeof info>;

/** Asks the engine about its machine. */
export async function engineFacts(docker: Docker): Promise<EngineFacts> {
	return info.parse(await docker.info());
}

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
	const backing = facts.DriverStatus?.find(([name]) => name === "Backing Filesystem")?.[1];
	const StorageOpt = { size: `${megabytes}m` };
	const limited = { ...request, HostConfig: { ...request.HostConfig, StorageOpt } };
	if (facts.Driver === "overlay2" && backing === "xfs" && (await canCreate(docker, limited))) return limited;
	const isAsked = megabytes !== schema.shape.container_disk.parse(undefined);
	if (isAsked) warn(`The engine cannot limit a container's disk (${facts.Driver} on ${backing ?? "unknown"})`);
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
