/** The settings of the ssh backend, named as below `terminal.` in the configuration. */

import { z } from "zod";

/** Port of ssh; a host's own `Port` in ~/.ssh/config stands above it. */
export const usualPort = 22;

/** What a user may set. */
export const settings = z.strictObject({
	ssh_host: z.string().default("").describe("Host to log in to; a name of ~/.ssh/config is understood"),
	ssh_user: z.string().default("").describe("User on that host"),
	ssh_port: z.number().int().min(1).max(65535).default(usualPort).describe("Port of that host"),
	ssh_key: z.string().default("").describe("Private key file"),
	ssh_config_file: z.string().default("").describe("Read instead of ~/.ssh/config and the system's ssh_config"),
	ssh_transport: z
		.enum(["builtin", "openssh"])
		.default("builtin")
		.describe("Who speaks ssh: hermes itself, or the ssh program of this machine"),
	ssh_connect_timeout: z
		.number()
		.min(0)
		.default(0)
		.describe("Seconds a connection may take; 0 means what ~/.ssh/config says, or 15"),
	ssh_keepalive_interval: z
		.number()
		.min(0)
		.default(0)
		.describe(
			"Seconds after which a silent server is asked whether it is there; 0 means what ~/.ssh/config says, or 15",
		),
	ssh_keepalive_count: z
		.number()
		.int()
		.min(0)
		.default(0)
		.describe("Unanswered questions after which the connection is lost; 0 means what ~/.ssh/config says, or 3"),
});

/** Settings with their defaults filled in. */
export type SshSettings = z.infer<typeof settings>;
