/** What benches of the relay share: a session in a remote sandbox with a relay in it, one on this machine, and the clients. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Backend, Sandbox } from "../lib/environments/backend.ts";
import docker from "../lib/environments/docker/index.ts";
import local from "../lib/environments/local/index.ts";
import { withRelay } from "../lib/environments/relay/relay-sandbox.ts";
import { openShell, type Shell } from "../lib/environments/shell/shell.ts";
import singularity from "../lib/environments/singularity/index.ts";
import ssh from "../lib/environments/ssh/index.ts";

/** The backends that a relay makes faster. */
export type RemoteName = "docker" | "ssh" | "singularity";

/** Sessions to compare. Disposing it closes all of them. */
export interface Sessions extends AsyncDisposable {
	/** On this machine. */
	readonly local: Shell;
	/** In the remote sandbox, through the relay. */
	readonly relayed: Shell;
	/** The remote sandbox without its relay. */
	readonly plain: Sandbox;
	/** The same command through the program that people use. */
	runClient(command: string): Promise<unknown>;
}

const { signal } = new AbortController();

function service(name: string): string {
	const value = process.env[name];
	if (value) return value;
	throw new Error(`Cannot measure the relay: ${name} is not set; scripts/test-services.sh start prints it`);
}

function settingsOf(name: RemoteName, config: string): Record<string, unknown> {
	if (name === "docker") {
		const image = service("HERMES_TEST_DOCKER_IMAGE");
		return { docker_image: image, docker_persist_across_processes: false, container_persistent: false };
	}
	if (name === "singularity") {
		return { singularity_image: service("HERMES_TEST_APPTAINER_IMAGE"), container_persistent: false };
	}
	return {
		ssh_host: service("HERMES_TEST_SSH_HOST"),
		ssh_port: Number(service("HERMES_TEST_SSH_PORT")),
		ssh_user: service("HERMES_TEST_SSH_USER"),
		ssh_key: service("HERMES_TEST_SSH_KEY"),
		ssh_config_file: config,
	};
}

async function openBackend<C>(backend: Backend<C>, settings: unknown, home: string): Promise<Sandbox> {
	const hostEnvironment = { HOME: home, PATH: process.env.PATH ?? "", DOCKER_HOST: process.env.DOCKER_HOST ?? "" };
	return backend.open(backend.config.parse(settings), { signal, taskId: "bench", home, hostEnvironment });
}

function openRemote(name: RemoteName, settings: unknown, home: string): Promise<Sandbox> {
	if (name === "docker") return openBackend(docker, settings, home);
	return name === "ssh" ? openBackend(ssh, settings, home) : openBackend(singularity, settings, home);
}

/** The words that run a command by the client of that place; what has to be up before is brought up. */
async function clientOf(name: RemoteName, ranOn: string, config: string): Promise<readonly string[]> {
	const place = ranOn.slice(name.length + 1);
	if (name === "docker") return ["docker", "exec", place, "bash", "-c"];
	if (name === "singularity") return ["apptainer", "exec", "--pwd", "/", `instance://${place}`, "bash", "-c"];
	const user = `${service("HERMES_TEST_SSH_USER")}@${service("HERMES_TEST_SSH_HOST")}`;
	const key = service("HERMES_TEST_SSH_KEY");
	const client = ["ssh", "-F", config, "-p", service("HERMES_TEST_SSH_PORT"), "-i", key, "-o", "BatchMode=yes"];
	await Bun.spawn([...client, "-M", "-N", "-f", user], { stdio: ["ignore", "ignore", "ignore"] }).exited;
	return [...client, user];
}

/** Opens everything that can be compared in `name`. */
export async function openSessions(name: RemoteName): Promise<Sessions> {
	await using opened = new AsyncDisposableStack();
	const home = mkdtempSync(join(tmpdir(), "hermes-bench-"));
	opened.defer(() => rmSync(home, { recursive: true, force: true }));
	const config = join(home, "config");
	const knownHosts = process.env.HERMES_TEST_SSH_KNOWN_HOSTS ?? "";
	writeFileSync(config, `UserKnownHostsFile ${knownHosts}\nControlPath ${home}/master\n`);
	const plain = await openRemote(name, settingsOf(name, config), home);
	const onFallback = (line: string) => {
		throw new Error(line);
	};
	const sandbox = opened.use(await withRelay(plain, { signal, onFallback }));
	const files = name === "ssh" ? "sync" : "bind";
	const relayed = opened.use(await openShell({ sandbox, files, cwd: "/tmp", environment: {}, signal }));
	const environment = { PATH: process.env.PATH ?? "/usr/bin:/bin", HOME: "/nonexistent", LANG: "C.UTF-8" };
	const here = opened.use(await openBackend(local, {}, home));
	const shell = opened.use(await openShell({ sandbox: here, files: "host", cwd: "/tmp", environment, signal }));
	const client = await clientOf(name, plain.ranOn, config);
	const kept = opened.move();
	return {
		local: shell,
		relayed,
		plain,
		runClient: (command) => Bun.spawn([...client, command], { stdio: ["ignore", "ignore", "ignore"] }).exited,
		[Symbol.asyncDispose]: () => kept.disposeAsync(),
	};
}
