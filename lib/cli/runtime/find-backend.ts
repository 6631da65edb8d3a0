/** Backends by their names, with what they are configured with. */

import { nearestName } from "../../base/nearest-name.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { describeOrigin } from "../../config/load.ts";
import { type Backend, BackendUnavailable } from "../../environments/backend.ts";
import type { TaskOverride } from "../../environments/pool/task-id.ts";
import { relayedBackend } from "../../environments/relay/relayed-backend.ts";
import { openLog } from "../../log/open-log.ts";
import { UsageError } from "../exit-codes.ts";
import type { Cli } from "../subcommand.ts";
import { backendSettings } from "./settings.ts";

/** A backend that can be opened. */
export interface ConfiguredBackend {
	readonly backend: Backend;
	/** As `backend.config` parsed it. */
	readonly settings: unknown;
}

/**
 * The backend of a run, or of a task that has its own.
 * @throws {UsageError} When there is no such backend, or it has no images, or no sandboxes, and the task wants one of its own.
 * @throws {ConfigInvalid} When its settings cannot be used, or the policy of the machine does not allow it.
 */
export async function configuredBackend(
	cli: Cli,
	config: LoadedConfig,
	{ backend: name = config.get("terminal.backend"), image, isThrowaway, left }: TaskOverride = {},
): Promise<ConfiguredBackend> {
	const plain = await findBackend(cli, name);
	const settings = await backendSettings(cli, plain);
	const backend = config.get("terminal.relay") === "off" ? plain : relayedBackend(plain, writeToLog(cli, config));
	const chosen = image === undefined ? settings : withImage(backend, settings, image);
	if (isThrowaway !== true) return { backend, settings: chosen };
	if (backend.throwaway !== undefined) return { backend, settings: backend.throwaway(chosen, left ?? "own") };
	throw new UsageError(
		`Cannot open a sandbox of its own on "${name}": commands there run on one machine; isolation "worktree" keeps files apart there`,
	);
}

/** Whether a relay runs is nothing that a user has to be told of; who wonders about slow commands finds it in the log. */
function writeToLog(cli: Cli, config: LoadedConfig): (line: string) => void {
	return (line) => {
		using log = openLog(cli.environment.hermesHome, config);
		log.warning(line);
	};
}

/**
 * Asks before anything is opened, and before a model is asked anything.
 * @throws {BackendUnavailable} With what is missing and who chose this backend.
 */
export async function checkAvailable(
	cli: Cli,
	config: LoadedConfig,
	{ backend, settings }: ConfiguredBackend,
): Promise<void> {
	const verdict = await backend.available(settings, cli.environment.variables);
	if (verdict === true) return;
	const origin = config.find("terminal.backend")?.origin ?? { kind: "default" };
	const chosen = origin.kind === "flag" ? "--backend" : describeOrigin(origin);
	throw new BackendUnavailable(
		`Cannot use backend "${backend.name}" (${chosen}): ${verdict}; nothing runs elsewhere instead, see hermes doctor`,
	);
}

async function findBackend(cli: Cli, name: string): Promise<Backend> {
	const load = Object.hasOwn(cli.plugins.backends, name) ? cli.plugins.backends[name] : undefined;
	if (load !== undefined) return (await load()).default;
	const known = Object.keys(cli.plugins.backends);
	const near = nearestName(name, known);
	const advice = near === undefined ? "" : `; did you mean "${near}"?`;
	throw new UsageError(`Cannot use backend "${name}": unknown; there is ${known.join(", ")}${advice}`);
}

/** Every backend with images calls its key after itself: `docker_image`. */
function withImage(backend: Backend, settings: unknown, image: string): unknown {
	const known = typeof settings === "object" ? settings : {};
	const parsed = backend.config.safeParse({ ...known, [`${backend.name}_image`]: image });
	if (parsed.success) return parsed.data;
	throw new UsageError(`Cannot use image "${image}" on "${backend.name}": ${parsed.error.issues[0]?.message}`);
}
