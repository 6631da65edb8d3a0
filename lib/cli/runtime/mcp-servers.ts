/** What MCP servers are given of a run: variables, folders, and the places of other backends. */

import type { LoadedConfig } from "../../config/load.ts";
import type { OpenServersOptions } from "../../mcp/open-servers.ts";
import type { Cli } from "../subcommand.ts";

/** The same for every server of a run. */
export function serverParts(
	cli: Cli,
	config: LoadedConfig,
): Pick<OpenServersOptions, "variables" | "home" | "openSandbox"> {
	return {
		variables: config.variables,
		home: cli.environment.hermesHome,
		async openSandbox({ backend: name, taskId }, signal) {
			const [{ configuredBackend }, { openContext }, { openTerminalLines }] = await Promise.all([
				import("./find-backend.ts"),
				import("./open-context.ts"),
				import("./terminal-lines.ts"),
			]);
			const { backend, settings } = await configuredBackend(cli, config, { backend: name });
			const verdict = await backend.available(settings, cli.environment.variables);
			if (verdict !== true) throw new Error(`Cannot use backend "${name}" for it: ${verdict}; see hermes doctor`);
			await using keyboard = openTerminalLines();
			return await backend.open(settings, { ...openContext(cli, backend, keyboard), signal, taskId });
		},
	};
}
