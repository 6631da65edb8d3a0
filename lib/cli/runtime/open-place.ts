/** Opens the place where commands of one run happen: a backend's sandbox and one shell session in it. */

import { statSync } from "node:fs";
import { resolve } from "node:path";
import { nearestName } from "../../base/nearest-name.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { Backend } from "../../environments/backend.ts";
import type { Shell } from "../../environments/shell/shell.ts";
import { openShell } from "../../environments/shell/shell.ts";
import { childEnvironment } from "../../security/child-environment.ts";
import { CommandFailed, UsageError } from "../exit-codes.ts";
import type { Cli } from "../subcommand.ts";
import { backendSettings } from "./settings.ts";

/** One opened backend with one shell session. */
export interface Place extends AsyncDisposable {
	readonly shell: Shell;
	/** Where the backend's own temporary folder may be assumed: the host's only for backends that share its files. */
	readonly sharesHostFiles: boolean;
}

export interface PlaceOptions {
	readonly config: LoadedConfig;
	/** As the user typed it; the current folder when left out. */
	readonly cwd?: string | undefined;
	/** Names the sandbox where a backend keeps one per task. */
	readonly taskId: string;
}

/**
 * Opens the backend and a shell in it.
 * @throws {UsageError} When there is no such backend.
 * @throws {ConfigInvalid} When a setting of the backend cannot be used.
 * @throws {CommandFailed} When the folder does not exist.
 * @throws {BackendUnavailable} When the backend cannot be used.
 */
export async function openPlace(cli: Cli, { config, cwd, taskId }: PlaceOptions): Promise<Place> {
	const backend = await findBackend(cli, config.get("terminal.backend"));
	const folder = startFolder(backend, cwd ?? configuredFolder(cli, config));
	const { signal } = cli.interruption;
	await using opened = new AsyncDisposableStack();
	const sandbox = opened.use(
		await backend.open(await backendSettings(cli, backend), {
			signal,
			taskId,
			home: cli.environment.hermesHome,
			hostEnvironment: cli.environment.variables,
			onProgress: (line) => cli.stderr.write(`${line}\n`),
		}),
	);
	const shell = opened.use(
		await openShell({
			sandbox,
			files: backend.files,
			cwd: folder,
			environment: childEnvironment(cli.environment.variables),
			signal,
			onWarning: (text) => cli.stderr.write(`hermes: ${text}\n`),
		}),
	);
	const kept = opened.move();
	return {
		shell,
		sharesHostFiles: backend.files === "host",
		[Symbol.asyncDispose]: () => kept.disposeAsync(),
	};
}

async function findBackend(cli: Cli, name: string): Promise<Backend> {
	const load = Object.hasOwn(cli.plugins.backends, name) ? cli.plugins.backends[name] : undefined;
	if (load !== undefined) return (await load()).default;
	const known = Object.keys(cli.plugins.backends);
	const near = nearestName(name, known);
	const advice = near === undefined ? "" : `did you mean "${near}"? `;
	throw new UsageError(`Cannot use backend "${name}": unknown; ${advice}There is ${known.join(", ")}`);
}

/** `terminal.cwd`; the placeholders of the original mean the current folder. */
function configuredFolder({ environment }: Cli, config: LoadedConfig): string | undefined {
	const folder = config.get("terminal.cwd");
	if (["", ".", "./", "auto", "cwd"].includes(folder.toLowerCase())) return undefined;
	return folder.replace(/^~(?=\/|$)/, () => environment.home);
}

function startFolder(backend: Backend, typed: string | undefined): string {
	// A folder inside a sandbox is for the sandbox to find.
	if (backend.files !== "host") return typed ?? "";
	const folder = resolve(currentFolder(), typed ?? "");
	if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
		throw new CommandFailed(`Cannot start in "${folder}": there is no such folder`);
	}
	return folder;
}

function currentFolder(): string {
	try {
		return process.cwd();
	} catch (cause) {
		throw new CommandFailed("Cannot start in the current folder: it was deleted; cd somewhere else", { cause });
	}
}
