/** A running instance: its start, whether it lives, and its end. */

import { readFileSync } from "node:fs";
import { z } from "zod";
import { BackendUnavailable } from "../backend.ts";
import type { InstancePlan } from "./plan.ts";
import { type Program, runProgram } from "./program.ts";

/** Pulls may be part of it. */
const startLimitMs = 120_000;
const stopLimitMs = 30_000;

/** An instance. */
export interface Instance {
	readonly name: string;
	/** Whether its first process lives, as the kernel says. */
	isAlive(): boolean;
	/** Ends it. One that is gone already is fine. */
	stop(): Promise<void>;
}

const listed = z.object({ instances: z.array(z.object({ instance: z.string(), pid: z.number() })) });

/** What an instance is made of. */
export interface InstanceRequest {
	readonly program: Program;
	readonly plan: InstancePlan;
	readonly image: string;
	readonly signal: AbortSignal;
	/** One line for a person to read. */
	tell(line: string): void;
}

/**
 * Starts an instance. Where limits cannot be kept (no cgroup of the user's own) it starts without them, and the user is told.
 * @throws {BackendUnavailable} With what apptainer says.
 */
export async function startInstance(request: InstanceRequest): Promise<Instance> {
	const { program, plan, image, signal, tell } = request;
	const limit = AbortSignal.any([signal, AbortSignal.timeout(startLimitMs)]);
	const name = `hermes_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`;
	const start = (limits: readonly string[]) =>
		runProgram(program, ["instance", "start", ...plan.words, ...limits, image, name], limit);
	try {
		let started = await start(plan.limits);
		if (started.exitCode !== 0 && plan.limits.length > 0) {
			const why = started.complaint;
			started = await start([]);
			if (started.exitCode === 0) tell(`The limits of memory and processors are not kept: ${why}`);
		}
		if (started.exitCode !== 0) throw new Error(started.complaint || `exit code ${started.exitCode}`);
		const instance = await findInstance(program, name, limit);
		if (instance === undefined) throw new Error("it ended at once");
		return instance;
	} catch (cause) {
		await stopInstance(program, name);
		signal.throwIfAborted();
		const why = limit.aborted
			? `it took longer than ${startLimitMs / 1000} s`
			: String(cause instanceof Error ? cause.message : cause);
		throw new BackendUnavailable(`Cannot start an instance of "${image}": ${why}`, { cause });
	}
}

/** The instance of that name; undefined when none runs. */
export async function findInstance(program: Program, name: string, signal: AbortSignal): Promise<Instance | undefined> {
	const { output } = await runProgram(program, ["instance", "list", "--json", name], signal);
	const pid = listed.parse(JSON.parse(output)).instances.find(({ instance }) => instance === name)?.pid;
	if (pid === undefined) return undefined;
	const startedAt = startTime(pid);
	return {
		name,
		// A number may be another process's by now.
		isAlive: () => startedAt !== undefined && startTime(pid) === startedAt,
		stop: () => stopInstance(program, name),
	};
}

/** When a process started, in ticks; undefined when it is gone. */
function startTime(pid: number): string | undefined {
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
		// The program's name, in parentheses, may hold anything.
		return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
	} catch {
		return undefined;
	}
}

/** Ends the instance of that name; one that is gone already is fine. */
export async function stopInstance(program: Program, name: string): Promise<void> {
	// Not the caller's signal: an interrupted session must still let its instance go.
	const limit = AbortSignal.timeout(stopLimitMs);
	await runProgram(program, ["instance", "stop", "--timeout", "5", name], limit).catch((cause) => {
		if (!limit.aborted) throw cause;
	});
}
