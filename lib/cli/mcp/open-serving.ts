/** Opens what `hermes mcp serve` serves. */

import { nearestName } from "../../base/nearest-name.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { RootLogger } from "../../log/logger.ts";
import { openLog } from "../../log/open-log.ts";
import { type Category, categories, isCategory } from "../../security/commands/categories.ts";
import type { Served } from "../../serve/mcp/served.ts";
import { UsageError } from "../exit-codes.ts";
import { openSettings } from "../runtime/settings.ts";
import type { Cli } from "../subcommand.ts";
import type { ServeFlags } from "./serve.ts";

/** What is served, and what else the server needs. */
export interface Serving {
	readonly served: Served;
	readonly log: RootLogger;
}

/** What is opened, and for whom. */
export interface OpeningServing {
	readonly flags: ServeFlags;
	readonly opened: AsyncDisposableStack;
	/** What clients must send; nothing shows it. */
	readonly key: string | undefined;
}

/**
 * Puts what has to be closed again into `opened`.
 * @throws {UsageError | CommandFailed | ConfigInvalid | BackendUnavailable | StoreRefused} When it cannot be served.
 */
export async function openServing(cli: Cli, { flags, opened, key }: OpeningServing): Promise<Serving> {
	const config = withSecret(await openSettings(cli, { backend: flags.backend }), key);
	const log = opened.use(openLog(cli.environment.hermesHome, config));
	const own = log.named("mcp.serve");
	if (!flags.tools) {
		const { openServedConversations } = await import("./served-conversations.ts");
		return { served: opened.use(openServedConversations(cli, config)), log };
	}
	const { openServedTools } = await import("./served-tools.ts");
	const { cwd, toolset: toolsets, yolo, keep } = flags;
	const allowed = allowedCategories(flags.allow ?? []);
	const backend = config.get("terminal.backend");
	// This machine is no sandbox, and what runs here would see the variables.
	const place = keep || backend === "local" ? cli : withPassingSandboxes(cli);
	const served = opened.use(await openServedTools(place, { config, cwd, toolsets, allowed, yolo, keep }));
	own.info(`serves the tools on ${backend}`);
	return { served, log };
}

/** Masked from then on wherever a secret is. */
function withSecret(config: LoadedConfig, key: string | undefined): LoadedConfig {
	return key === undefined ? config : { ...config, secrets: [...config.secrets, key] };
}

function allowedCategories(names: readonly string[]): readonly Category[] {
	return names.map((name) => {
		if (isCategory(name)) return name;
		const known = Object.keys(categories);
		const near = nearestName(name, known);
		const advice = near === undefined ? `there is ${known.join(", ")}` : `did you mean "${near}"?`;
		throw new UsageError(`Cannot allow "${name}": it is no kind of danger; ${advice}`);
	});
}

/** What a client leaves in a sandbox goes with it: nobody else could tell whose it is, and the next client is another one. */
function withPassingSandboxes(cli: Cli): Cli {
	const { environment } = cli;
	const passing = { TERMINAL_CONTAINER_PERSISTENT: "false", TERMINAL_DOCKER_PERSIST_ACROSS_PROCESSES: "false" };
	return { ...cli, environment: { ...environment, variables: { ...environment.variables, ...passing } } };
}
