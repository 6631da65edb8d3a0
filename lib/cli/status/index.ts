/** `hermes status`: what hermes would use now, on one screen. */

import { jsonFlag } from "../common-flags.ts";
import { exitCodes } from "../exit-codes.ts";
import { printable } from "../runtime/paint.ts";
import { defineAction } from "../subcommand.ts";
import type { Status } from "./gather.ts";

export default defineAction({
	summary: "Show profile, model, keys, backend and what is running",
	details: "Asks no service anything; hermes doctor looks for faults, hermes selfcheck tries a backend out.",
	flags: jsonFlag,

	async run({ flags: { json } }, cli) {
		const { gatherStatus } = await import("./gather.ts");
		const status = await gatherStatus(cli);
		cli.stdout.write(json ? `${JSON.stringify(status, null, 2)}\n` : textOf(status));
		return status.problem === undefined ? exitCodes.ok : exitCodes.failure;
	},
});

function textOf(status: Status): string {
	const { backend, keys = [], mcp_servers: servers = [] } = status;
	const rows: readonly (readonly [string, string | undefined])[] = [
		["version", status.version],
		["profile", `${status.profile}  ${status.home}`],
		["problem", status.problem],
		["model", modelOf(status)],
		["keys", keys.length === 0 ? "none" : keys.join(", ")],
		["backend", backend && `${backend.name}  ${backend.ready ? "ready" : "not ready"}: ${backend.detail}`],
		["approvals", status.approvals],
		["mcp", servers.length === 0 ? "no servers" : servers.join(", ")],
		["sessions", String(status.sessions)],
		["background", `${status.background_processes} processes (hermes ps)`],
	];
	return rows
		.filter(([, value]) => value !== undefined)
		.map(([name, value = ""]) => `${name.padEnd(11)}${printable(value)}\n`)
		.join("");
}

function modelOf({ provider, model, base_url: address }: Status): string | undefined {
	if (provider === undefined && model === undefined) return undefined;
	if (!model && !address) return "none chosen yet; hermes setup, or hermes model";
	return [model || "the server's own", provider && `(${provider})`, address].filter(Boolean).join("  ");
}
