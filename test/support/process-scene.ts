/** Background processes in a real sandbox, with the pool and the table that the program has. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isChildId } from "../../lib/agent/delegate/short-id.ts";
import type { Backend } from "../../lib/environments/backend.ts";
import docker from "../../lib/environments/docker/index.ts";
import local from "../../lib/environments/local/index.ts";
import { createPool, type Target } from "../../lib/environments/pool/pool.ts";
import type { PooledShell } from "../../lib/environments/pool/task-shell.ts";
import { relayedBackend } from "../../lib/environments/relay/relayed-backend.ts";
import type { SudoSource } from "../../lib/environments/shell/sudo/passwords.ts";
import singularity from "../../lib/environments/singularity/index.ts";
import ssh from "../../lib/environments/ssh/index.ts";
import type { BackgroundProcess } from "../../lib/processes/background-process.ts";
import type { ProcessDesk, StartRequest } from "../../lib/processes/process-desk.ts";
import { createProcessTable, type ProcessTable } from "../../lib/processes/table.ts";
import { createRedactor } from "../../lib/security/redact.ts";
import { serviceAccount } from "../environments/ssh/ssh-service.ts";
import { serviceVariable } from "./required-service.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** A place by its name; `docker-bare` and the like have no relay in them. */
export type PlaceName = "local" | "docker" | "docker-nopython" | "ssh" | "ssh-bare" | "singularity";

export interface SceneOptions {
	/** HERMES_HOME; a temporary one when left out. */
	readonly home?: string;
	/** Keeps the container when the scene closes. */
	readonly keep?: boolean;
	readonly now?: () => number;
	readonly taskId?: string;
	readonly sudo?: SudoSource;
}

export interface ProcessScene extends AsyncDisposable {
	readonly home: string;
	readonly table: ProcessTable;
	readonly desk: ProcessDesk;
	readonly shell: PooledShell;
	/** Starts one that must start. */
	start(command: string, request?: Partial<StartRequest>): Promise<BackgroundProcess>;
}

/** Opens it. */
export async function openProcessScene(place: PlaceName, options: SceneOptions = {}): Promise<ProcessScene> {
	await using opening = new AsyncDisposableStack();
	const home = options.home ?? opening.use(temporaryFolder()).path;
	const { taskId = "default", now } = options;
	const pool = opening.use(
		createPool({
			target: targetOf(place, home, options.keep === true),
			targetFor: async () => targetOf(place, home, options.keep === true),
			isPinned: true,
			lifetimeSeconds: 300,
			busyTasks: () => table.busyTasks(),
			context: { home, hostEnvironment: hostEnvironment(home) },
			sudo: options.sudo,
			onWarning: () => undefined,
		}),
	);
	const table: ProcessTable = opening.use(
		createProcessTable({
			shellOf: (task) => pool.shell(task),
			checkpointPath: join(home, "processes.json"),
			endsWithUs: isChildId,
			redact: createRedactor(),
			...(now && { now }),
		}),
	);
	const shell = pool.shell(taskId);
	await shell.open(new AbortController().signal);
	const desk = table.desk(taskId, "session");
	const kept = opening.move();
	return {
		home,
		table,
		desk,
		shell,
		async start(command, request) {
			const started = await desk.start({ command, cwd: shell.cwd, ...request }, new AbortController().signal);
			if (started.ok) return started.process;
			throw new Error(started.why);
		},
		[Symbol.asyncDispose]: () => kept.disposeAsync(),
	};
}

function hostEnvironment(home: string): Record<string, string> {
	const engine = process.env.DOCKER_HOST;
	return { HOME: home, PATH: process.env.PATH ?? "/usr/bin:/bin", ...(engine && { DOCKER_HOST: engine }) };
}

function targetOf(place: PlaceName, home: string, keep: boolean): Target {
	if (place === "local") {
		const environment = { PATH: process.env.PATH ?? "/usr/bin:/bin", HOME: home, LANG: "C.UTF-8" };
		return { backend: local, config: {}, cwd: home, environment };
	}
	const [kind] = place.split("-");
	const image = place === "docker-nopython" ? "HERMES_TEST_DOCKER_IMAGE_NOPYTHON" : "HERMES_TEST_DOCKER_IMAGE";
	const chosen: Readonly<Record<string, () => { backend: Backend; settings: Record<string, unknown> }>> = {
		docker: () => ({
			backend: docker,
			settings: {
				docker_image: serviceVariable(image),
				docker_persist_across_processes: keep,
				container_persistent: false,
			},
		}),
		ssh: () => ({ backend: ssh, settings: sshSettings(home) }),
		singularity: () => ({
			backend: singularity,
			settings: {
				singularity_image: serviceVariable("HERMES_TEST_APPTAINER_IMAGE"),
				container_persistent: false,
				sandbox_dir: join(home, "sandboxes"),
			},
		}),
	};
	const found = chosen[kind ?? ""]?.();
	if (found === undefined) throw new Error(`Cannot open "${place}": there is no such place`);
	const backend = place.endsWith("-bare") ? found.backend : relayedBackend(found.backend, () => undefined);
	return { backend, config: found.backend.config.parse(found.settings), cwd: "/tmp", environment: {} };
}

function sshSettings(home: string) {
	const account = serviceAccount();
	const config = join(home, "ssh-config");
	mkdirSync(join(home, ".ssh"), { mode: 0o700, recursive: true });
	writeFileSync(config, `UserKnownHostsFile ${account.knownHosts}\n`);
	const { host, port, user, key } = account;
	return { ssh_host: host, ssh_port: port, ssh_user: user, ssh_key: key, ssh_config_file: config };
}

/** Waits until `look` gives something; every few milliseconds, with a generous end. `state` is told when it does not. */
export async function until<T>(look: () => T | undefined | false, state = () => "", limitMs = 60_000): Promise<T> {
	const end = performance.now() + limitMs;
	for (;;) {
		const seen = look();
		if (seen !== undefined && seen !== false) return seen;
		if (performance.now() > end) throw new Error(`Cannot wait any longer: ${state()}`);
		await Bun.sleep(10);
	}
}

/** What a process has printed, as lines. */
export function printed(process: BackgroundProcess): readonly string[] {
	return process.output.range(0).lines.map((line) => line.replace(/\r$/, ""));
}
