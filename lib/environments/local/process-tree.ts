/** Finds and ends everything that one call started. */

import { readdirSync, readFileSync } from "node:fs";
import { callMark, runMark } from "../call-marks.ts";

/** What the processes of one call have in common. */
export interface CallIdentity {
	/** The process group, which is the pid of the process that was started. */
	readonly group: number;
	readonly run: string;
	readonly call: string;
}

/** After SIGTERM, and after SIGKILL. */
const askedLimitMs = 1_000;
const forcedLimitMs = 2_000;

/** No event tells that a process group is empty. */
const pollMs = 15;

/** SIGTERM to all, and SIGKILL to those that live a second later. Resolves when all are gone, or after three seconds. */
export async function endTree(identity: CallIdentity): Promise<void> {
	// What has ended by itself is not looked for more than once.
	if (isGone(identity)) return;
	signalTree(identity, "SIGTERM");
	if (await isGoneWithin(identity, askedLimitMs)) return;
	const giveUpAt = performance.now() + forcedLimitMs;
	// Again each time: a process may have forked while we looked.
	do signalTree(identity, "SIGKILL");
	while (!(await isGoneWithin(identity, pollMs)) && performance.now() < giveUpAt);
}

/** Signals the group and, on Linux, those of the call that left it. */
export function signalTree(identity: CallIdentity, signal: NodeJS.Signals): void {
	const escaped = membersOf(identity).filter(({ group }) => group !== identity.group);
	signalOne(-identity.group, signal);
	for (const { pid } of escaped) signalOne(pid, signal);
}

async function isGoneWithin(identity: CallIdentity, limitMs: number): Promise<boolean> {
	const giveUpAt = performance.now() + limitMs;
	while (!isGone(identity)) {
		if (performance.now() >= giveUpAt) return false;
		await Bun.sleep(pollMs);
	}
	return true;
}

function isGone(identity: CallIdentity): boolean {
	if (hasProc()) return membersOf(identity).length === 0;
	return !signalOne(-identity.group, 0);
}

interface Member {
	readonly pid: number;
	readonly group: number;
}

/** Living processes of the call. Zombies count as gone: in a container nobody may ever reap them. */
function membersOf(identity: CallIdentity): Member[] {
	if (!hasProc()) return [];
	const marks = [`${runMark}=${identity.run}`, `${callMark}=${identity.call}`];
	return readdirSync("/proc")
		.filter((name) => /^\d+$/.test(name))
		.flatMap((name) => {
			const group = livingGroup(name);
			if (group === undefined) return [];
			return group === identity.group || carries(name, marks) ? [{ pid: Number(name), group }] : [];
		});
}

function livingGroup(pid: string): number | undefined {
	const stat = readProc(`/proc/${pid}/stat`);
	// The program's name, in parentheses, may hold anything.
	const [state, , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
	return state === undefined || state === "" || "ZX".includes(state) ? undefined : Number(group);
}

function carries(pid: string, marks: readonly string[]): boolean {
	const environment = readProc(`/proc/${pid}/environ`);
	if (!marks.every((mark) => environment.includes(mark))) return false;
	const variables = environment.split("\0");
	return marks.every((mark) => variables.includes(mark));
}

function readProc(path: string): string {
	try {
		return readFileSync(path, "latin1");
	} catch {
		// It ended while we looked, or is another user's.
		return "";
	}
}

function hasProc(): boolean {
	return process.platform === "linux";
}

/** Whether there was anybody to signal. */
function signalOne(target: number, signal: NodeJS.Signals | 0): boolean {
	try {
		return process.kill(target, signal);
	} catch (cause) {
		// EPERM: it lives, but is another user's (a setuid program).
		return cause instanceof Error && "code" in cause && cause.code === "EPERM";
	}
}
