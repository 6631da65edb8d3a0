/** What a container depends on of the engine and its machine. */

import type Docker from "dockerode";
import { z } from "zod";

const info = z.looseObject({
	NCPU: z.number().default(Number.POSITIVE_INFINITY),
	Driver: z.string().default(""),
	DriverStatus: z.array(z.tuple([z.string(), z.string()]).rest(z.string())).nullish(),
});

const version = z.looseObject({ Components: z.array(z.looseObject({ Name: z.string() })).optional() });

/** The facts. */
export interface EngineFacts {
	readonly processors: number;
	readonly storageDriver: string;
	/** The file system below; undefined when the engine does not tell. */
	readonly fileSystem: string | undefined;
	readonly isPodman: boolean;
}

/** Asks the engine. */
export async function engineFacts(docker: Docker): Promise<EngineFacts> {
	const [machine, engine] = await Promise.all([docker.info(), docker.version()]);
	const { NCPU: processors, Driver: storageDriver, DriverStatus } = info.parse(machine);
	const { Components = [] } = version.parse(engine);
	return {
		processors,
		storageDriver,
		fileSystem: DriverStatus?.find(([name]) => name === "Backing Filesystem")?.[1],
		isPodman: Components.some(({ Name }) => /podman/i.test(Name)),
	};
}
