/** The settings of the daytona backend, named as below `terminal.` in the configuration. */

import { z } from "zod";

const usualImage = "nikolaik/python-nodejs:python3.11-nodejs20";

/** Megabytes of disk when nothing is said; more than Daytona gives, so nobody is warned of it. */
export const usualDisk = 51_200;

/** What a user may set. */
export const settings = z.object({
	daytona_image: z.string().default(usualImage).describe("Image of Daytona sandboxes"),
	container_cpu: z.number().min(0).default(1).describe("Processors of a container; 0 means all"),
	container_memory: z.number().int().min(0).default(5120).describe("Megabytes of memory of a container; 0 means all"),
	container_disk: z.number().int().min(0).default(usualDisk).describe("Megabytes of disk of a container"),
	container_persistent: z.boolean().default(true).describe("Keep the files of a container"),
});

/** Settings with their defaults filled in. */
export type DaytonaSettings = z.output<typeof settings>;
