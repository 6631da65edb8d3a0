/** How the user's own ssh client is called. */

import { createHash } from "node:crypto";
import { join } from "node:path";
import { type SshSettings, usualPort } from "../settings.ts";

/** Seconds for which an unused connection is kept, for the next process of this user too. */
const persistSeconds = 300;

/** When neither the settings nor ssh_config say otherwise. */
const usualConnectSeconds = 15;
const usualKeepAliveSeconds = 15;
const usualKeepAliveCount = 3;

/** A client to call, and the socket that leads to its connection. */
export interface ClientCall {
	readonly socket: string;
	/** Words that open the shared connection. */
	readonly master: readonly string[];
	/** Words before a command line; the connection must be open. */
	readonly session: readonly string[];
}

/** The calls for the host of `settings`. `home` tells apart users whose files differ. */
export function clientCall(
	program: string,
	settings: SshSettings,
	place: { folder: string; home: string },
): ClientCall {
	const { ssh_host, ssh_user, ssh_port, ssh_key, ssh_config_file } = settings;
	const identity = [ssh_user, ssh_host, ssh_port, ssh_key, ssh_config_file, place.home].join("\0");
	const socket = join(place.folder, createHash("sha256").update(identity).digest("hex").slice(0, 16));
	const option = (name: string, value: string | number) => ["-o", `${name}=${value}`];
	const common = [
		program,
		...(ssh_config_file === "" ? [] : ["-F", ssh_config_file]),
		...option("ControlPath", socket),
		// Nobody is there to answer the client.
		...option("BatchMode", "yes"),
		...option("StrictHostKeyChecking", "accept-new"),
		...option("ConnectTimeout", Math.ceil(settings.ssh_connect_timeout) || usualConnectSeconds),
		...option("ServerAliveInterval", Math.ceil(settings.ssh_keepalive_interval) || usualKeepAliveSeconds),
		...option("ServerAliveCountMax", settings.ssh_keepalive_count || usualKeepAliveCount),
		// A forwarding or a command of the user's ssh_config is for their own sessions.
		...option("ClearAllForwardings", "yes"),
		...option("RemoteCommand", "none"),
		...(ssh_port === usualPort ? [] : ["-p", String(ssh_port)]),
		...(ssh_key === "" ? [] : ["-i", ssh_key]),
		...(ssh_user === "" ? [] : ["-l", ssh_user]),
	];
	const master = [...common, ...option("ControlMaster", "auto"), ...option("ControlPersist", persistSeconds)];
	return {
		socket,
		master: [...master, "-T", "--", ssh_host, "exit"],
		session: [...common, ...option("ControlMaster", "no")],
	};
}
