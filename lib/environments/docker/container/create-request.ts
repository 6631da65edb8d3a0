/** What the engine is asked to create. */

import type Docker from "dockerode";
import type { DockerSettings } from "../settings.ts";
import { partOfSetting, partsOfWords } from "./extra-args.ts";
import type { Mounts } from "./mounts.ts";
import { joinParts, type Part } from "./request-parts.ts";

/** What the request depends on besides the settings. */
export interface CreateFacts {
	/** What the image starts by itself. */
	readonly entrypoint: readonly string[];
	/** Processors of the engine's machine; it refuses to give more. */
	readonly processors: number;
	readonly mounts: Mounts;
	/** `uid:gid`, when containers run as the user of this machine. */
	readonly user: string | undefined;
}

/** These start a supervisor that must be process 1. */
const supervisors: ReadonlySet<string> = new Set(["/init", "/package/admin/s6-overlay/command/init"]);

const pidsLimit = 256;
const megabyte = 1024 * 1024;

/** Needed to install packages and to own files; setuid only where the container runs as root. */
const keptCapabilities = ["DAC_OVERRIDE", "CHOWN", "FOWNER"];
const rootCapabilities = ["SETUID", "SETGID"];

/** The request without name and labels. @throws {BackendUnavailable} When a setting cannot be used. */
export function createRequest(settings: DockerSettings, facts: CreateFacts): Docker.ContainerCreateOptions {
	const isSupervised = supervisors.has(facts.entrypoint[0] ?? "");
	return joinParts([
		basics(settings),
		security(facts),
		{ host: { Init: !isSupervised } },
		limits(settings, facts),
		folders(facts.mounts, isSupervised),
		...typedFlags(settings),
		...partsOfWords(settings.docker_extra_args),
	]);
}

function basics({ docker_image: Image, docker_env: variables }: DockerSettings): Part {
	const Env = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
	return { create: { Image, Cmd: ["sleep", "infinity"], Env: Env.toSorted() } };
}

function security({ user }: CreateFacts): Part {
	const CapAdd = [...keptCapabilities, ...(user === undefined ? rootCapabilities : [])];
	return {
		...(user !== undefined && { create: { User: user } }),
		host: { CapDrop: ["ALL"], CapAdd, SecurityOpt: ["no-new-privileges"], PidsLimit: pidsLimit },
	};
}

function limits({ container_cpu: cpus, container_memory: megabytes }: DockerSettings, facts: CreateFacts): Part {
	return {
		host: {
			...(cpus > 0 && { NanoCpus: Math.round(Math.min(cpus, facts.processors) * 1e9) }),
			...(megabytes > 0 && { Memory: megabytes * megabyte }),
		},
	};
}

function folders({ binds, tmpfs }: Mounts, isSupervised: boolean): Part {
	const own = {
		// Programs run from /tmp: pip builds packages there.
		"/tmp": "rw,exec,nosuid,size=512m",
		"/var/tmp": "rw,noexec,nosuid,size=256m",
		"/run": `rw,${isSupervised ? "exec" : "noexec"},nosuid,size=64m`,
	};
	return { host: { Binds: [...binds], Tmpfs: { ...own, ...tmpfs } } };
}

function typedFlags(settings: DockerSettings): Part[] {
	const flags: [key: string, flag: string, value: string][] = [
		["docker_gpus", "--gpus", settings.docker_gpus],
		["docker_shm_size", "--shm-size", settings.docker_shm_size],
		["docker_network", "--network", settings.docker_network],
		["docker_ipc", "--ipc", settings.docker_ipc],
		["docker_runtime", "--runtime", settings.docker_runtime],
	];
	for (const device of settings.docker_devices) flags.push(["docker_devices", "--device", device]);
	const given = flags.filter(([, , value]) => value !== "");
	return given.map(([key, flag, value]) => partOfSetting(flag, value, `terminal.${key}`));
}
