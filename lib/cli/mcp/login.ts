/** `hermes mcp login`: lets a server know who the user is, through the browser. */

import { z } from "zod";
import { reasonOf } from "../../base/attempt.ts";
import { CommandFailed, exitCodes } from "../exit-codes.ts";
import { type Cli, defineAction } from "../subcommand.ts";

/** Gets tokens of a server and keeps them. */
export const login = defineAction({
	summary: "Log in at an MCP server through the browser",
	details:
		"Sessions that run use the new login at once. When the browser is on another machine, paste the address that it could not open; `-` reads it from standard input.",
	operands: "<NAME> [-]",
	completes: "mcp-servers",
	flagsAnywhere: true,
	flags: z.object({
		scope: z
			.string()
			.optional()
			.meta({ value: "SCOPES", description: "What to ask for, split by spaces (default: what the server wants)" }),
	}),

	async run({ flags: { scope }, operands: [name = "", dash] }, cli) {
		const [{ openSettings }, { remoteServer }, { logIn }, { loginFiles }, { readOAuthSettings }, { serverFetch }] =
			await Promise.all([
				import("../runtime/settings.ts"),
				import("./remote-server.ts"),
				import("../../mcp/auth/log-in.ts"),
				import("../../mcp/auth/login-files.ts"),
				import("../../mcp/auth/oauth-settings.ts"),
				import("../../mcp/transports/server-fetch.ts"),
			]);
		const config = await openSettings(cli, {});
		const server = remoteServer(config, name, "log in at");
		const { url } = server;
		try {
			await logIn({
				url,
				settings: readOAuthSettings(name, server.oauth),
				scope,
				files: loginFiles(cli.environment.hermesHome, { name, url }),
				fetch: await serverFetch(server, config.variables),
				signal: cli.interruption.signal,
				show: (page, callback) => show(cli, page, callback),
				...((cli.stdinIsTerminal || dash === "-") && { paste: pasting(cli) }),
			});
		} catch (cause) {
			cli.interruption.signal.throwIfAborted();
			throw new CommandFailed(`Cannot log in at MCP server "${name}": ${reasonOf(cause)}`, { cause });
		}
		cli.stdout.write(`Logged in at ${name}; hermes mcp test ${name} shows its tools\n`);
		return exitCodes.ok;
	},
});

function show(cli: Cli, page: string, callback: string): void {
	const { port } = new URL(callback);
	const { SSH_CONNECTION: ssh } = cli.environment.variables;
	const tunnel = `ssh -L ${port}:127.0.0.1:${port} HOST`;
	const lines = [
		"Open this page in a browser:",
		page,
		...(ssh === undefined ? [] : [`The browser comes back to ${callback}. Where it runs: ${tunnel}`]),
		...(cli.stdinIsTerminal ? ["Or paste the address that it ends at (skip gives up):"] : []),
	];
	cli.stderr.write(`${lines.join("\n")}\n`);
}

/** Lines of standard input, one for each time it is asked. */
function pasting(cli: Cli): (signal: AbortSignal) => Promise<string | undefined> {
	const lines = cli.stdinLines()[Symbol.asyncIterator]();
	return async () => {
		const next = await lines.next();
		return next.done ? undefined : next.value;
	};
}
