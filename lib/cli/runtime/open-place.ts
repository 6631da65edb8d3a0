/** Opens the place where commands of one run happen: a pool of sandboxes, and the main task's session in it. */

import { join } from "node:path";
import { isChildId } from "../../agent/delegate/short-id.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { OpenContext } from "../../environments/backend.ts";
import { createPool, type Pool, type Target } from "../../environments/pool/pool.ts";
import { sharedTask } from "../../environments/pool/task-id.ts";
import type { PooledShell } from "../../environments/pool/task-shell.ts";
import type { SudoSource } from "../../environments/shell/sudo/passwords.ts";
import { createProcessTable, type ProcessTable } from "../../processes/table.ts";
import { type ChildOptions, childEnvironment } from "../../security/child-environment.ts";
import { createRedactor } from "../../security/redact.ts";
import { CommandFailed } from "../exit-codes.ts";
import type { Cli } from "../subcommand.ts";
import { type ConfiguredBackend, checkAvailable, configuredBackend } from "./find-backend.ts";
import { openContext } from "./open-context.ts";
import { startFolder } from "./start-folder.ts";
import { sudoPassword } from "./sudo-password.ts";
import { syncSources } from "./sync-sources.ts";
import { openTerminalLines, type TerminalLines } from "./terminal-lines.ts";

/** An opened backend. */
export interface Place extends AsyncDisposable {
	/** The main task's session. */
	readonly shell: PooledShell;
	/** The sessions of other tasks. */
	readonly pool: Pool;
	/** Processes in the background, of all tasks. */
	readonly processes: ProcessTable;
	/** Value of `terminal.backend`. */
	readonly backend: string;
	/** Where the backend's own temporary folder may be assumed: the host's only for backends that share its files. */
	readonly sharesHostFiles: boolean;
}

/** Which place to open. */
export interface PlaceOptions {
	readonly config: LoadedConfig;
	/** As the user typed it; the current folder when left out. */
	readonly cwd?: string | undefined;
	/** Who is asked for passwords and codes, where the run reads the terminal itself. */
	readonly terminal?: TerminalLines | undefined;
	/** The main task's sandbox is not closed when it is idle: what is in it would be lost. */
	readonly staysOpen?: boolean;
}

/**
 * Opens the backend and a shell in it.
 * @throws {UsageError} When there is no such backend.
 * @throws {ConfigInvalid} When a setting of the backend cannot be used.
 * @throws {CommandFailed} When the folder does not exist.
 * @throws {BackendUnavailable} When the backend cannot be used.
 */
export async function openPlace(cli: Cli, { config, cwd, terminal, staysOpen }: PlaceOptions): Promise<Place> {
	const configured = await configuredBackend(cli, config);
	const { backend } = configured;
	const targetOn = (configured: ConfiguredBackend) =>
		targetOf(cli, configured, {
			cwd: startFolder(cli, { config, configured, typed: cwd }),
			child: { passed: config.get("terminal.env_passthrough"), mode: config.get("terminal.env_mode") },
		});
	const target = targetOn(configured);
	await checkAvailable(cli, config, configured);
	await using opened = new AsyncDisposableStack();
	const keyboard = terminal ?? opened.use(openTerminalLines());
	const context = openContext(cli, backend, keyboard);
	const pool: Pool = opened.use(
		createPool({
			target,
			targetFor: async (override) => targetOn(await configuredBackend(cli, config, override)),
			isPinned: isPinned(config),
			lifetimeSeconds: config.get("terminal.lifetime_seconds"),
			busyTasks: () => (staysOpen ? [sharedTask] : processes.busyTasks()),
			context,
			sudo: sudoSource(config, context),
			sync: syncHost(cli, config),
			onWarning: (text) => cli.stderr.write(`hermes: ${text}\n`),
		}),
	);
	const processes: ProcessTable = opened.use(
		createProcessTable({
			shellOf: (taskId) => pool.shell(taskId),
			checkpointPath: join(cli.environment.hermesHome, "processes.json"),
			endsWithUs: isChildId,
			redact: config.get("security.redact_secrets") ? createRedactor(config.secrets) : undefined,
			onWarning: (text) => cli.stderr.write(`hermes: ${text}\n`),
		}),
	);
	const shell = pool.shell(sharedTask);
	await shell.open(cli.interruption.signal);
	if (cwd !== undefined && backend.files !== "host") await checkFolder(shell, cwd, cli.interruption.signal);
	const kept = opened.move();
	return {
		shell,
		pool,
		processes,
		backend: backend.name,
		sharesHostFiles: backend.files === "host",
		[Symbol.asyncDispose]: () => kept.disposeAsync(),
	};
}

function sudoSource(config: LoadedConfig, { askUser }: Pick<OpenContext, "askUser">): SudoSource {
	return {
		configured: sudoPassword(config),
		...(askUser && { ask: (text, signal) => askUser({ text, isSecret: true, signal }) }),
	};
}

/** A session goes on without a folder that was deleted; one that the user has just named must be there. */
async function checkFolder(shell: PooledShell, typed: string, signal: AbortSignal): Promise<void> {
	const folder = /^[~/]/.test(typed) ? typed : `/${typed}`;
	if (shell.cwd === folder) return;
	const { exitCode } = await shell.execute(":", { cwd: folder, signal });
	if (exitCode === 0) return;
	signal.throwIfAborted();
	throw new CommandFailed(`Cannot start in "${folder}" on ${shell.ranOn}: there is no such folder`);
}

/** Whether everything of this session must run on its backend: the user or the policy said so, or named it on the command line. */
export function isPinned(config: LoadedConfig): boolean {
	return config.get("terminal.pin") || config.find("terminal.backend")?.origin.kind === "flag";
}

/** The variable is the original's; it is for whoever edits a skill and tries it at once. */
function syncHost(cli: Cli, config: LoadedConfig) {
	const { home: userHome, variables } = cli.environment;
	return { sources: syncSources(cli, config), userHome, isEager: (variables.HERMES_FORCE_FILE_SYNC ?? "") !== "" };
}

/** The environment of this machine is of no use, and none of the business, of another one. */
function targetOf(
	cli: Cli,
	{ backend, settings }: ConfiguredBackend,
	{ cwd, child }: { readonly cwd: string; readonly child: ChildOptions },
): Target {
	const environment = backend.files === "host" ? childEnvironment(cli.environment.variables, child) : {};
	return { backend, config: settings, cwd, environment };
}
