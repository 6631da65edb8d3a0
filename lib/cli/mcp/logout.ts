/** `hermes mcp logout`: forgets a login, and asks the service to do the same. */

import { z } from "zod";
import { exitCodes } from "../exit-codes.ts";
import { defineAction } from "../subcommand.ts";

/** A renewal takes seconds at most. */
const lockLimitMs = 60_000;

/** Removes what a login brought. */
export const logout = defineAction({
	summary: "Forget the login at an MCP server",
	operands: "<NAME>",
	completes: "mcp-servers",
	flags: z.object({}),

	async run({ operands: [name = ""] }, cli) {
		const [{ openSettings }, { remoteServer }, { loginFiles }, { readOAuthSettings }, { revoke }, { serverFetch }] =
			await Promise.all([
				import("../runtime/settings.ts"),
				import("./remote-server.ts"),
				import("../../mcp/auth/login-files.ts"),
				import("../../mcp/auth/oauth-settings.ts"),
				import("../../mcp/auth/revoke.ts"),
				import("../../mcp/transports/server-fetch.ts"),
			]);
		const config = await openSettings(cli, {});
		const server = remoteServer(config, name, "log out of");
		const files = loginFiles(cli.environment.hermesHome, { name, url: server.url });
		const settings = readOAuthSettings(name, server.oauth);
		const fetch = await serverFetch(server, config.variables);
		const { signal } = cli.interruption;
		// A session that renews the login at this moment would bring it back.
		using _lock = await files.lock(AbortSignal.any([signal, AbortSignal.timeout(lockLimitMs)]));
		const isTold = await revoke({ files, settings, fetch, signal });
		const was = files.forget("everything");
		const more = isTold ? "" : "; the service was not told: its own page can take the login back as well";
		cli.stdout.write(was ? `Logged out of ${name}${more}\n` : `There was no login at ${name}\n`);
		return exitCodes.ok;
	},
});
