/** A pool on a real backend and the isolation of sub-agents on it, for tests of places. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Isolation } from "../../../lib/agent/delegate/isolation.ts";
import { createIsolation } from "../../../lib/agent/delegate/places/create-isolation.ts";
import type { Backend } from "../../../lib/environments/backend.ts";
import daytona from "../../../lib/environments/daytona/index.ts";
import docker from "../../../lib/environments/docker/index.ts";
import { settings as dockerSettings } from "../../../lib/environments/docker/settings.ts";
import local from "../../../lib/environments/local/index.ts";
import modal from "../../../lib/environments/modal/index.ts";
import { createPool, type Pool } from "../../../lib/environments/pool/pool.ts";
import singularity from "../../../lib/environments/singularity/index.ts";
import { settings as singularitySettings } from "../../../lib/environments/singularity/settings.ts";
import ssh from "../../../lib/environments/ssh/index.ts";
import { settings as sshSettings } from "../../../lib/environments/ssh/settings.ts";
import { FileState } from "../../../lib/files/file-state.ts";
import { serviceAccount } from "../../environments/ssh/ssh-service.ts";
import { startDaytonaServer } from "../../support/daytona-server/server.ts";
import { plainEnvironment } from "../../support/local-sandbox.ts";
import { startModalServer } from "../../support/modal-server/start-server.ts";
import { serviceVariable } from "../../support/required-service.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** Where places can be tested. */
export type PlacedOn = "local" | "docker" | "ssh" | "singularity" | "daytona" | "modal";

/** The far side and the isolation on it. */
export interface PlacedPool extends AsyncDisposable {
	readonly pool: Pool;
	readonly isolation: Isolation;
	readonly fileState: FileState;
	/** HERMES_HOME on this machine. */
	readonly home: string;
	/** A folder of the main task for this test alone, removed with it. */
	readonly folder: string;
	/** Runs `command` as `task`, in its own folder. @throws {Error} When it fails. */
	say(task: string, command: string): Promise<string>;
}

interface Configured {
	readonly backend: Backend;
	readonly config: unknown;
	readonly hostEnvironment: Readonly<Record<string, string>>;
}

interface ConfiguredOptions {
	readonly home: string;
	/** Volumes of sandboxes, where those have some. */
	readonly volumes: readonly string[];
}

async function configured(
	on: PlacedOn,
	{ home, volumes }: ConfiguredOptions,
	opening: AsyncDisposableStack,
): Promise<Configured> {
	const PATH = process.env.PATH ?? "";
	switch (on) {
		case "local":
			return { backend: local as Backend, config: local.config.parse({}), hostEnvironment: plainEnvironment };
		case "docker": {
			const docker_image = serviceVariable("HERMES_TEST_DOCKER_IMAGE");
			const kept = { docker_persist_across_processes: false, container_persistent: false };
			const hostEnvironment = { PATH, HOME: "/nonexistent", DOCKER_HOST: serviceVariable("DOCKER_HOST") };
			return {
				backend: docker as Backend,
				config: dockerSettings.parse({ docker_image, ...kept, docker_volumes: volumes }),
				hostEnvironment,
			};
		}
		case "ssh": {
			const { host, port, user, key, knownHosts } = serviceAccount();
			const ssh_config_file = join(home, "ssh_config");
			mkdirSync(join(home, ".ssh"), { mode: 0o700 });
			writeFileSync(ssh_config_file, `UserKnownHostsFile ${knownHosts}\n`);
			const account = { ssh_host: host, ssh_port: port, ssh_user: user, ssh_key: key, ssh_config_file };
			const hostEnvironment = { HOME: home, PATH, USER: "nobody" };
			return { backend: ssh as Backend, config: sshSettings.parse(account), hostEnvironment };
		}
		case "singularity": {
			const singularity_image = serviceVariable("HERMES_TEST_APPTAINER_IMAGE");
			const place = { singularity_image, container_persistent: false, singularity_volumes: volumes };
			const config = singularitySettings.parse(place);
			return { backend: singularity as Backend, config, hostEnvironment: { PATH, HOME: home } };
		}
		case "daytona": {
			const { variables } = opening.use(startDaytonaServer());
			return { backend: daytona as Backend, config: daytona.config.parse({}), hostEnvironment: variables };
		}
		case "modal": {
			const { variables } = opening.use(await startModalServer());
			const config = modal.config.parse({ modal_mode: "direct", container_persistent: false });
			return { backend: modal as Backend, config, hostEnvironment: { ...variables, HOME: home } };
		}
	}
}

/** Where `openPlacedPool` has the files of the main task on this machine, when it was given a home. */
export function projectFolder(home: string): string {
	return join(home, "project");
}

/** Opens a pool there. With `shared`, a home that others open a pool on too, the folder is `/project` and lies on this machine. */
export async function openPlacedPool(on: PlacedOn, shared?: { readonly home: string }): Promise<PlacedPool> {
	await using opening = new AsyncDisposableStack();
	const home = shared?.home ?? opening.use(temporaryFolder()).path;
	const volumes = shared === undefined ? [] : [`${projectFolder(home)}:/project`];
	const { backend, config, hostEnvironment } = await configured(on, { home, volumes }, opening);
	const environment = on === "local" ? { ...plainEnvironment, HOME: home } : {};
	const target = { backend, config, cwd: "/tmp", environment };
	const { signal } = new AbortController();
	const pool = opening.use(
		createPool({
			target,
			async targetFor({ isThrowaway, left }) {
				if (isThrowaway !== true || backend.throwaway === undefined) throw new Error(`no sandboxes on ${on}`);
				return { ...target, config: backend.throwaway(config, left ?? "own") };
			},
			isPinned: true,
			lifetimeSeconds: 300,
			context: { home, hostEnvironment },
			onWarning: (text) => process.stderr.write(`${text}\n`),
		}),
	);
	const say = async (task: string, command: string) => {
		const { output, exitCode } = await pool.shell(task).execute(command, { signal, timeoutSeconds: 100 });
		if (exitCode !== 0) throw new Error(`${command}: ${output}`);
		return output;
	};
	const folder = shared === undefined ? `/tmp/hermes-test-${crypto.randomUUID()}` : "/project";
	await say("", `mkdir -p '${folder}' && cd '${folder}'`);
	if (shared === undefined) opening.defer(async () => void (await say("", `rm -rf '${folder}'`)));
	const fileState = new FileState();
	const isolation = createIsolation({ pool, fileState, home });
	const opened = opening.move();
	return { pool, isolation, fileState, home, folder, say, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** Makes a repository of the main task's folder, with one commit. */
export const makeRepository = `git init -q -b main . && git config user.email a@b && git config user.name a &&
printf '1\\n2\\n3\\n4\\n5\\n' > list.txt && echo b > b.txt && git add -A && git commit -q -m first`;
