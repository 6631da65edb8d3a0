/** Finds the sandbox of a task, or makes it. */

import type { Daytona, Sandbox } from "@daytona/sdk";
import { untilAborted } from "../../../base/abort.ts";
import { BackendUnavailable } from "../../backend.ts";
import { patiently } from "../patience.ts";
import { conflict, mayHaveBeenDone, missing, serviceError, unavailable } from "../service-error.ts";
import { type BringUpOptions, nameOf, startLimitMs, stateOf } from "./bring-up.ts";
import type { MachinePlan } from "./plan.ts";

/** Creating pulls the image the first time. */
const createLimitSeconds = startLimitMs / 1000;

/** A sandbox that is there, in whatever state. */
export interface Found {
	readonly sandbox: Sandbox;
	readonly isNew: boolean;
}

/**
 * The sandbox of a task. One that is kept is looked for by its name and its labels before another one is made.
 * @throws {BackendUnavailable} When it cannot be found out whether there is one, or none can be made.
 */
export async function findOrCreate(daytona: Daytona, plan: MachinePlan, options: BringUpOptions): Promise<Found> {
	const found = plan.isKept ? await find(daytona, plan, options.signal) : undefined;
	return found === undefined ? create(daytona, plan, options) : { sandbox: found, isNew: false };
}

/** A sandbox that is being deleted is none. */
function isThere(sandbox: Sandbox): boolean {
	return !/^destroy/.test(stateOf(sandbox));
}

async function find(daytona: Daytona, plan: MachinePlan, signal: AbortSignal): Promise<Sandbox | undefined> {
	try {
		const named = await byName(daytona, plan.name, signal);
		if (named !== undefined && isThere(named) && hasLabels(named, plan)) return named;
		return await patiently(() => firstLabelled(daytona, plan), { signal });
	} catch (cause) {
		signal.throwIfAborted();
		throw unavailable("Cannot look for the Daytona sandbox of this task", cause);
	}
}

async function byName(daytona: Daytona, name: string, signal: AbortSignal): Promise<Sandbox | undefined> {
	try {
		return await patiently(() => daytona.get(name), { signal });
	} catch (cause) {
		if (serviceError(cause).status === missing) return undefined;
		throw cause;
	}
}

/** Anybody of the organisation may give a sandbox the name that we use. */
function hasLabels(sandbox: Sandbox, { labels }: MachinePlan): boolean {
	return Object.entries(labels).every(([label, value]) => sandbox.labels[label] === value);
}

async function firstLabelled(daytona: Daytona, { labels }: MachinePlan): Promise<Sandbox | undefined> {
	for await (const sandbox of daytona.list({ labels: { ...labels }, limit: 1 })) {
		if (isThere(sandbox)) return sandbox;
	}
	return undefined;
}

async function create(daytona: Daytona, plan: MachinePlan, options: BringUpOptions): Promise<Found> {
	const { signal, tell } = options;
	if (plan.warning !== undefined) tell(plan.warning);
	tell(`Creating a Daytona sandbox of ${plan.image}`);
	const limit = AbortSignal.timeout(createLimitSeconds * 1000);
	const either = AbortSignal.any([signal, limit]);
	const created = createOrJoin(daytona, plan, { ...options, signal: either });
	try {
		return await untilAborted(created, either);
	} catch (cause) {
		// It comes all the same, and nobody will use it.
		if (either.aborted) void created.then((late) => putAwayUnused(late, plan)).catch(() => undefined);
		signal.throwIfAborted();
		const what = `Cannot create a Daytona sandbox of "${plan.image}"`;
		if (!limit.aborted) throw unavailable(what, cause);
		throw new BackendUnavailable(`${what}: it was not there after ${createLimitSeconds} s`, { cause });
	}
}

/** An answer may be lost although the sandbox was made, and somebody else may make it at the same time: both are found by name. */
async function createOrJoin(daytona: Daytona, plan: MachinePlan, options: BringUpOptions): Promise<Found> {
	const { signal, tell } = options;
	let name = plan.name;
	let mayBeOurs = false;
	const attempt = async (): Promise<Found> => {
		if (mayBeOurs) {
			const made = await byName(daytona, name, signal);
			if (made !== undefined && isThere(made) && hasLabels(made, plan)) return { sandbox: made, isNew: true };
		}
		try {
			return { sandbox: await request(daytona, { ...plan, name }, tell), isNew: true };
		} catch (cause) {
			const error = serviceError(cause);
			mayBeOurs ||= mayHaveBeenDone(error);
			if (error.status !== conflict) throw cause;
		}
		const other = await byName(daytona, name, signal);
		if (other !== undefined && isThere(other) && hasLabels(other, plan)) return { sandbox: other, isNew: false };
		// The name is somebody else's, or that of a sandbox which is being deleted: ours is found by its labels.
		name = `${plan.name}-${crypto.randomUUID().slice(0, 8)}`;
		return { sandbox: await request(daytona, { ...plan, name }, tell), isNew: true };
	};
	const onFailure = (reason: string) => tell(`Daytona does not make the sandbox yet: ${reason}`);
	return patiently(attempt, { signal, onFailure });
}

async function request(daytona: Daytona, plan: MachinePlan, tell: (line: string) => void): Promise<Sandbox> {
	const parameters = {
		image: plan.image,
		name: plan.name,
		labels: { ...plan.labels },
		resources: { ...plan.resources },
		// It is stopped by us: a command that is silent for hours is no idle sandbox.
		autoStopInterval: 0,
		...(!plan.isKept && { ephemeral: true }),
	};
	const sandbox = await daytona.create(parameters, {
		// The limit is ours: the SDK's is measured by a clock that can be set.
		timeout: 0,
		onSnapshotCreateLogs: (text: string) => void (text.trim() && tell(text.trim())),
	});
	tell(`Created ${nameOf(sandbox)}`);
	return sandbox;
}

async function putAwayUnused({ sandbox, isNew }: Found, plan: MachinePlan): Promise<void> {
	if (isNew) await putAway(sandbox, plan);
}

/** Stops a sandbox that is kept, deletes another one. One that is gone already is fine. @throws {BackendUnavailable} */
export async function putAway(sandbox: Sandbox, { isKept }: Pick<MachinePlan, "isKept">): Promise<void> {
	try {
		await (isKept ? sandbox.stop(0) : sandbox.delete(0));
	} catch (cause) {
		const { status } = serviceError(cause);
		if (status === missing || status === conflict) return;
		throw unavailable(`Cannot ${isKept ? "stop" : "delete"} ${nameOf(sandbox)}`, cause);
	}
}
