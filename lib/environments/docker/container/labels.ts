/** The labels by which our containers are found again. */

import { readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { basename, dirname } from "node:path";
import type Docker from "dockerode";
import { processStart } from "../../../base/process-start.ts";

/** Marks every container of ours. */
const agentLabel = "hermes-agent";
const taskLabel = "hermes-task-id";
const profileLabel = "hermes-profile";
/** Tells apart users, and HERMES_HOMEs of one user, that share an engine. */
const homeLabel = "hermes-home";
/** What the container was made from, to see that the settings have changed since. */
export const settingsLabel = "hermes-settings";

/** Says of a container that is thrown away with its sandbox which process has opened that. */
export const processLabel = "hermes-process";

/** Says besides that somebody may still want what is in it when that process has been killed. */
export const heldLabel = "hermes-held";

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

/** Labels of a container that ends with this process. */
export function throwawayLabels(isHeld: boolean): Record<string, string> {
	const start = startMark(process.pid);
	const itself = [processSpace(), process.pid, ...(start === undefined ? [] : [start])].join("-");
	return { [processLabel]: itself, ...(isHeld && { [heldLabel]: "1" }) };
}

/** Whether the process that a label names has ended; one of another machine is nothing we know of. */
export function isProcessGone(label: string): boolean {
	const [, space, pid, start] = /^(\w+)-(\d+)(?:-(\w+))?$/.exec(label) ?? [];
	if (space !== processSpace() || pid === undefined) return false;
	if (!isNumberTaken(Number(pid))) return true;
	const now = startMark(Number(pid));
	return start !== undefined && now !== undefined && now !== start;
}

function isNumberTaken(pid: number): boolean {
	try {
		return process.kill(pid, 0);
	} catch (cause) {
		// EPERM: it lives, as another user.
		return !(cause instanceof Error && "code" in cause && cause.code === "ESRCH");
	}
}

/** When the process began, as a label may hold it; undefined where that is not known. */
function startMark(pid: number): string | undefined {
	const start = processStart(pid);
	return start === "" ? undefined : shortHash(start);
}

/** Names the set of process numbers that ours belongs to: this machine, or a container on it. */
function processSpace(): string {
	return shortHash(`${hostname()} ${process.platform === "linux" ? readlinkSync("/proc/self/ns/pid") : ""}`);
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
