/** The entry of a server that is reached by its address, for the commands that log in there and out. */

import type { LoadedConfig } from "../../config/load.ts";
import type { RemoteSettings } from "../../mcp/server-settings.ts";
import { readServerSettings } from "../../mcp/server-settings.ts";
import { CommandFailed } from "../exit-codes.ts";

/** @throws {CommandFailed} When there is no such server, or it is none to log in at. */
export function remoteServer(config: LoadedConfig, name: string, act: "log in at" | "log out of"): RemoteSettings {
	const servers = config.get("mcp_servers");
	const fail = (state: string) => new CommandFailed(`Cannot ${act} MCP server "${name}": ${state}`);
	if (!Object.hasOwn(servers, name)) {
		throw fail(`it is not in config.yaml; there is ${Object.keys(servers).join(", ") || "none"}`);
	}
	const read = readServerSettings(servers[name]);
	if (!read.ok) throw fail(read.reason);
	const { settings } = read;
	if (settings.kind === "stdio") throw fail("it is a process of this machine, which takes its keys from env");
	return settings;
}
