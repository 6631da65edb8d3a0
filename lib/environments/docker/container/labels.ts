/** The labels by which our containers are found again. */

import { basename, dirname } from "node:path";
import type Docker from "dockerode";

/** Marks every container of ours. */
export const agentLabel = "hermes-agent";
const taskLabel = "hermes-task-id";
const profileLabel = "hermes-profile";
/** Tells apart users, and HERMES_HOMEs of one user, that share an engine. */
const homeLabel = "hermes-home";
/** What the container was made from, to see that the settings have changed since. */
export const settingsLabel = "hermes-settings";

const longestValue = 63;

/** Whose container it is. */
export interface Owner {
	readonly taskId: string;
	/** HERMES_HOME. */
	readonly home: string;
}

/** `text` as a label and as part of a name may hold it. */
export function labelValue(text: string): string {
	return text.replace(/[^A-Za-z0-9_.-]/g, "_").slice(0, longestValue) || "unknown";
}

/** Labels that all containers of one profile share. */
export function profileLabels(home: string): Record<string, string> {
	return {
		[agentLabel]: "1",
		[profileLabel]: labelValue(profileName(home)),
		[homeLabel]: shortHash(home),
	};
}

/** Labels of the containers of one task. */
export function ownerLabels({ taskId, home }: Owner): Record<string, string> {
	return { ...profileLabels(home), [taskLabel]: labelValue(taskId) };
}

/** A filter of the engine's list for all of `labels`. */
export function labelFilter(labels: Readonly<Record<string, string>>): { label: string[] } {
	return { label: Object.entries(labels).map(([name, value]) => `${name}=${value}`) };
}

/** Tells one create request from another. */
export function settingsHash(request: Docker.ContainerCreateOptions): string {
	return shortHash(JSON.stringify(request));
}

/** Twelve hex digits. */
export function shortHash(text: string): string {
	return new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, 12);
}

/** A profile other than the first one lives in `profiles/NAME`. */
function profileName(home: string): string {
	return basename(dirname(home)) === "profiles" ? basename(home) : "default";
}
