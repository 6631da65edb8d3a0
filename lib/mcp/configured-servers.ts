/** What is configured, without connecting any of it. */

import type { ServerStatus } from "./open-server.ts";
import { readServerSettings } from "./server-settings.ts";

/** The entries of `mcp_servers` with what is wrong with them. */
export function withoutProbe(servers: Readonly<Record<string, unknown>>): ServerStatus[] {
	return Object.entries(servers).map(([name, written]): ServerStatus => {
		const read = readServerSettings(written);
		const none = { name, tools: [], leftOut: [] };
		if (!read.ok) return { ...none, transport: "stdio", state: "failed", warnings: [], problem: read.reason };
		const { kind, enabled } = read.settings;
		return { ...none, transport: kind, state: enabled ? "idle" : "disabled", warnings: read.warnings };
	});
}
