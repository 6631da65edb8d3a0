/** What of the host, and which writable folders, a container sees. */

import { mkdirSync, realpathSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { BoundPlace } from "../../backend.ts";
import type { DockerSettings } from "../settings.ts";
import { labelValue } from "./labels.ts";

/** What the mounts depend on besides the settings. */
export interface MountFacts {
	/** Whether the engine's files are those of this machine. */
	readonly isLocal: boolean;
	readonly taskId: string;
	/** HERMES_HOME. */
	readonly home: string;
	/** The user's home folder, for `~/`. */
	readonly userHome: string;
	/** Seen read-only. */
	readonly boundPlaces?: readonly BoundPlace[] | undefined;
	warn(text: string): void;
}

/** Mounts as the create request has them. */
export interface Mounts {
	readonly binds: readonly string[];
	readonly tmpfs: Readonly<Record<string, string>>;
}

const workspace = "/workspace";

/** The mounts of a container. Makes the folders on this machine that it will need. */
export function planMounts(settings: DockerSettings, facts: MountFacts): Mounts {
	const volumes = settings.docker_volumes.flatMap((volume) => userVolume(volume, facts));
	const cwd = volumes.some(isWorkspace) ? undefined : mountedFolder(settings, facts);
	const hasWorkspace = cwd !== undefined || volumes.some(isWorkspace);
	const own = settings.container_persistent
		? keptFolders(settings, facts, hasWorkspace)
		: { binds: [], tmpfs: freshFolders(hasWorkspace) };
	const current = cwd === undefined ? [] : [`${cwd}:${workspace}`];
	return { binds: [...own.binds, ...boundPlaces(volumes, facts), ...current, ...volumes], tmpfs: own.tmpfs };
}

/** An engine on another machine has other files; what the user mounts at the same place stands above ours. */
function boundPlaces(volumes: readonly string[], { isLocal, boundPlaces = [] }: MountFacts): string[] {
	const taken = new Set(volumes.map((volume) => volume.split(":")[1]));
	return isLocal ? boundPlaces.filter(({ to }) => !taken.has(to)).map(({ from, to }) => `${from}:${to}:ro`) : [];
}

function isWorkspace(bind: string): boolean {
	return bind.split(":")[1] === workspace;
}

function userVolume(volume: string, { userHome, warn }: MountFacts): string[] {
	const [source = "", target = ""] = volume.split(":");
	if (source === "" || !target.startsWith("/")) {
		warn(`terminal.docker_volumes: "${volume}" is no volume such as /here:/there and is left out`);
		return [];
	}
	const expanded = source.replace(/^~(?=\/|$)/, () => userHome);
	// Anything without a slash is the name of a volume.
	const path = expanded.startsWith(".") ? resolve(expanded) : expanded;
	return [`${path}${volume.slice(source.length)}`];
}

/** The folder to work in, when the user asked for it to be mounted and it can be. */
function mountedFolder(settings: DockerSettings, { isLocal, userHome, warn }: MountFacts): string | undefined {
	if (!settings.docker_mount_cwd_to_workspace) return undefined;
	const folder = resolve(settings.cwd.replace(/^~(?=\/|$)/, () => userHome));
	if (!isLocal) {
		warn(`Cannot mount "${folder}" at ${workspace}: the engine runs on another machine`);
		return undefined;
	}
	if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
		warn(`Cannot mount "${folder}" at ${workspace}: there is no such folder`);
		return undefined;
	}
	return realpathSync(folder);
}

/** Folders that outlive the container: below the sandbox folder, or volumes where the engine is another machine. */
function keptFolders(settings: DockerSettings, facts: MountFacts, hasWorkspace: boolean): Mounts {
	const folders = [["home", "/root"], ...(hasWorkspace ? [] : [["workspace", workspace]])] as const;
	const task = labelValue(facts.taskId);
	const root = join(settings.sandbox_dir === "" ? join(facts.home, "sandboxes") : settings.sandbox_dir, "docker", task);
	const binds = folders.map(([name, target]) => {
		if (!facts.isLocal) return `hermes-${task}-${name}:${target}`;
		const path = resolve(root, name ?? "");
		mkdirSync(path, { recursive: true, mode: 0o700 });
		return `${path}:${target}`;
	});
	return { binds, tmpfs: {} };
}

function freshFolders(hasWorkspace: boolean): Record<string, string> {
	return {
		...(hasWorkspace ? {} : { [workspace]: "rw,exec,size=10g" }),
		"/home": "rw,exec,size=1g",
		"/root": "rw,exec,size=1g",
	};
}
