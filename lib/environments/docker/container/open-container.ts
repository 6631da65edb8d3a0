/** Finds the container of a task, or makes it. */

import type Docker from "dockerode";
import { untilAborted } from "../../../base/abort.ts";
import { attemptAsync } from "../../../base/attempt.ts";
import { settledWithin } from "../../../base/settled-within.ts";
import { BackendUnavailable, SandboxGone, type ThrowawayLife } from "../../backend.ts";
import { engineError, unlessStatus } from "../engine/engine-error.ts";
import {
	heldLabel,
	isProcessGone,
	labelFilter,
	type Owner,
	ownerLabels,
	processLabel,
	settingsHash,
	settingsLabel,
	shortHash,
	throwawayLabels,
} from "./labels.ts";

/** What container is wanted. */
export interface ContainerPlan {
	readonly request: Docker.ContainerCreateOptions;
	/** A fault of the engine; see ExecPlace. */
	readonly losesUnreadInput: boolean;
	/** Variables of this machine that sessions there have besides. */
	readonly forwarded: Readonly<Record<string, string>>;
	readonly owner: Owner;
	/** Whether it is shared with other processes of the same owner, and outlives them. */
	readonly isKept: boolean;
	/** Set for the container of one task alone. */
	readonly life?: ThrowawayLife | undefined;
	readonly signal: AbortSignal;
	tell(line: string): void;
}

const createMs = 120_000;
const startMs = 30_000;

/** How long an interrupted opening waits for a container that the engine is just making, to remove it. One that comes later is swept up. */
const interruptedMs = 10_000;

/** How long somebody else may take to remove a container that is to be removed. */
const removedMs = 30_000;

/** Between two looks at a name that is taken. */
const conflictPauseMs = 50;

/** The engine's answer for a name that is taken, and for a container that runs already. */
const conflict = 409;
const notModified = 304;
const missing = 404;

/** A running container, and whether it was made for this very call. */
export interface OpenedContainer {
	readonly container: Docker.Container;
	readonly isNew: boolean;
}

/**
 * A running container.
 * @throws {BackendUnavailable} When it cannot be made, or the one that is there cannot be started.
 */
export async function openContainer(docker: Docker, plan: ContainerPlan): Promise<OpenedContainer> {
	if (plan.life === "found" || plan.life === "ended") {
		return { container: await leftContainer(docker, plan), isNew: false };
	}
	if (!plan.isKept) return createContainer(docker, plan, `hermes-${crypto.randomUUID().slice(0, 8)}`);
	const found = await findContainer(docker, plan);
	if (found !== undefined) return { container: found, isNew: false };
	const { taskId, home } = plan.owner;
	// A name of its own for these settings: of two processes that create at the same time, one is told so by the engine.
	const name = `hermes-${shortHash(`${home}\0${taskId}\0${settingsHash(plan.request)}`).slice(0, 8)}`;
	return createOrJoin(docker, plan, name);
}

/** Removes a container with its anonymous volumes, and returns when it is gone; one that is gone already is fine. */
export async function removeContainer(container: Docker.Container): Promise<void> {
	const removed = unlessStatus([missing], container.remove({ force: true, v: true }));
	try {
		await removed;
	} catch (cause) {
		if (engineError(cause).status !== conflict) throw cause;
		// Somebody else is removing it, and it is listed until that is done.
		const gone = container.wait({ condition: "removed" });
		await settledWithin(unlessStatus([missing], gone), removedMs);
	}
}

/**
 * What a killed process has left under the same task. What was in memory there is lost when it does not run any more.
 * @throws {SandboxGone}
 * @throws {BackendUnavailable} When the process that made it still has it: nothing is lost.
 */
async function leftContainer(docker: Docker, plan: ContainerPlan): Promise<Docker.Container> {
	const filters = labelFilter({ ...ownerLabels(plan.owner), [heldLabel]: "1" });
	const all = await docker.listContainers({ all: true, filters });
	const left = all.find(({ Labels }) => isProcessGone(Labels[processLabel] ?? ""));
	const [busy] = all;
	if (left === undefined && busy !== undefined) {
		throw new BackendUnavailable(
			`Cannot open the container ${shownName(busy)} of "${plan.owner.taskId}": the hermes that made it still runs; end that first`,
		);
	}
	const found = left && (await startAgain(docker, plan, left));
	if (found !== undefined) return found;
	throw new SandboxGone(`Cannot open the container of "${plan.owner.taskId}": it is gone`);
}

async function findContainer(docker: Docker, plan: ContainerPlan): Promise<Docker.Container | undefined> {
	const filters = labelFilter(ownerLabels(plan.owner));
	const all = await docker.listContainers({ all: true, filters });
	const hash = settingsHash(plan.request);
	const usable = all.filter(
		({ Labels, State }) => Labels[settingsLabel] === hash && !/^(?:dead|removing)$/.test(State),
	);
	const found = usable.find(({ State }) => State === "running") ?? usable[0];
	if (found !== undefined) return startAgain(docker, plan, found);
	for (const old of all) await retire(docker, plan, old);
	return undefined;
}

/**
 * The same container or an error, never a new one in its place: files of the user are in it. Undefined when it has been removed.
 * @throws {BackendUnavailable}
 */
async function startAgain(
	docker: Docker,
	{ tell }: ContainerPlan,
	found: Docker.ContainerInfo,
): Promise<Docker.Container | undefined> {
	const container = docker.getContainer(found.Id);
	if (found.State === "running") return container;
	try {
		if (found.State === "paused") await container.unpause({ abortSignal: AbortSignal.timeout(startMs) });
		else await unlessStatus([notModified], container.start({ abortSignal: AbortSignal.timeout(startMs) }));
	} catch (cause) {
		// The engine also says so about one that somebody else is starting at the same moment.
		const now = await unlessStatus([missing], container.inspect());
		if (now?.State.Running === true) return container;
		if (now === undefined) return undefined;
		const name = shownName(found);
		throw new BackendUnavailable(
			`Cannot start the container ${name} again: ${engineError(cause).reason}; \`docker rm -f ${name}\` gives it up`,
			{ cause },
		);
	}
	// One that was never started belongs to a process that is just making it.
	if (found.State !== "created") tell(`Started the container ${shownName(found)} again, which was ${found.State}`);
	return container;
}

/** A container that was made with other settings gives way, unless somebody uses it. */
async function retire(docker: Docker, { tell }: ContainerPlan, old: Docker.ContainerInfo): Promise<void> {
	const container = docker.getContainer(old.Id);
	const facts = await unlessStatus([missing], container.inspect());
	if (facts === undefined) return;
	if ((facts.ExecIDs ?? []).length > 0) {
		tell(`The container ${shownName(old)} was made with other settings and is in use; a new one is made beside it`);
		return;
	}
	tell(`The container ${shownName(old)} was made with other settings; a new one takes its place`);
	await removeContainer(container);
}

/** A name is taken before its container is there, and for a while after it is gone. */
async function createOrJoin(docker: Docker, plan: ContainerPlan, name: string): Promise<OpenedContainer> {
	const limit = performance.now() + createMs;
	for (;;) {
		try {
			return await createContainer(docker, plan, name);
		} catch (cause) {
			if (!isTaken(cause) || performance.now() > limit) throw cause;
		}
		const joined = await joinOther(docker, plan, name);
		if (joined === "foreign") return createContainer(docker, plan, `${name}-${crypto.randomUUID().slice(0, 8)}`);
		if (joined !== undefined) return { container: joined, isNew: false };
		plan.signal.throwIfAborted();
		await Bun.sleep(conflictPauseMs);
	}
}

const isTaken = (cause: unknown) => cause instanceof BackendUnavailable && engineError(cause.cause).status === conflict;

async function createContainer(docker: Docker, plan: ContainerPlan, name: string): Promise<OpenedContainer> {
	const Labels = {
		...plan.request.Labels,
		...ownerLabels(plan.owner),
		...(plan.isKept ? {} : throwawayLabels(plan.life === "own")),
		[settingsLabel]: settingsHash(plan.request),
	};
	const abortSignal = AbortSignal.any([plan.signal, AbortSignal.timeout(createMs)]);
	plan.signal.throwIfAborted();
	// Not the caller's signal: the engine goes on making it when nobody listens any more, and only its answer says when it is there.
	const request = { ...plan.request, name, Labels, abortSignal: AbortSignal.timeout(createMs) };
	const creating = docker.createContainer(request);
	let container: Docker.Container | undefined;
	try {
		container = await untilAborted(creating, plan.signal);
		// Somebody who waits for the same one may have been quicker to start it.
		await unlessStatus([notModified], container.start({ abortSignal }));
		return { container, isNew: true };
	} catch (cause) {
		const { reason } = engineError(cause);
		if (container === undefined && plan.signal.aborted && !plan.isKept)
			await settledWithin(
				attemptAsync(() => creating),
				interruptedMs,
			);
		// By its name, it may exist even when no answer came; but under a name that is shared it may be another's.
		if (container !== undefined || !plan.isKept) await removeContainer(container ?? docker.getContainer(name));
		plan.signal.throwIfAborted();
		throw new BackendUnavailable(`Cannot start a container of "${plan.request.Image}": ${reason}`, { cause });
	}
}

/** Whether it was made for the same owner with the same settings; anybody may give a container the name that we use. */
function isSame({ Config: { Labels } }: Docker.ContainerInspectInfo, { owner, request }: ContainerPlan): boolean {
	const wanted = { ...ownerLabels(owner), [settingsLabel]: settingsHash(request) };
	return Object.entries(wanted).every(([label, value]) => Labels?.[label] === value);
}

/**
 * The container that another process made under the same name; undefined while it is not there yet, or is being removed;
 * `foreign` when it is not for us.
 */
async function joinOther(
	docker: Docker,
	plan: ContainerPlan,
	name: string,
): Promise<Docker.Container | "foreign" | undefined> {
	const named = docker.getContainer(name);
	const facts = await unlessStatus([missing], named.inspect());
	if (facts === undefined) return undefined;
	if (!isSame(facts, plan)) return "foreign";
	const container = docker.getContainer(facts.Id);
	try {
		await unlessStatus([notModified], container.start({ abortSignal: AbortSignal.timeout(startMs) }));
	} catch (cause) {
		const { status, reason } = engineError(cause);
		if (status === missing || status === conflict) return undefined;
		throw new BackendUnavailable(`Cannot start the container ${name}: ${reason}`, { cause });
	}
	plan.tell(`Using the container ${name}, which another process has just made`);
	return container;
}

function shownName({ Names, Id }: Docker.ContainerInfo): string {
	return Names[0]?.slice(1) ?? Id.slice(0, 12);
}
