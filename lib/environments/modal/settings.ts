/** The settings of the modal backend, named as below `terminal.` in the configuration. */

import { z } from "zod";

const usualImage = "nikolaik/python-nodejs:python3.11-nodejs20";

/** Modal itself ends every sandbox after a day. */
const longestLifeSeconds = 86_400;

/** What a user may set. */
export const settings = z.object({
	modal_image: z
		.string()
		.default(usualImage)
		.describe("Image of Modal sandboxes: a name in a registry, or im-… for an image of your Modal account"),
	modal_mode: z
		.enum(["auto", "direct", "managed"])
		.catch("auto")
		.default("auto")
		.describe("direct: your own Modal account; managed: through the tool gateway; auto: managed where it can be used"),
	modal_timeout: z
		.number()
		.int()
		.min(60)
		.max(longestLifeSeconds)
		.default(3600)
		.describe("Seconds after which Modal ends a sandbox, whatever runs in it"),
	cwd: z.string().default(".").describe("Folder commands start in"),
	timeout: z.number().min(1).default(180).describe("Seconds before a command is stopped"),
	credential_files: z.array(z.string()).default([]).describe("Files copied into sandboxes for the tools there"),
	container_cpu: z.number().min(0).default(1).describe("Processors of a container; 0 means all"),
	container_memory: z.number().int().min(0).default(5120).describe("Megabytes of memory of a container; 0 means all"),
	container_disk: z.number().int().min(0).default(51200).describe("Megabytes of disk of a container"),
	container_persistent: z.boolean().default(true).describe("Keep the files of a container"),
});

/** Settings with their defaults filled in. */
export type ModalSettings = z.output<typeof settings>;
