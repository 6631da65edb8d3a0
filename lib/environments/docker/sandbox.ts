/** A container as the place where commands run. */

import { BackendUnavailable, type OpenContext, type Running, type Sandbox, type StartOptions } from "../backend.ts";
import { createRequest } from "./container/create-request.ts";
import { engineFacts, withDiskLimit } from "./container/disk-limit.ts";
import { planMounts } from "./container/mounts.ts";
import { type ContainerPlan, openContainer, removeContainer } from "./container/open-container.ts";
import { lastWords, type ProbedContainer, probe } from "./container/probe.ts";
import { reapOrphans } from "./container/reaper.ts";
import { connectEngine, type Engine } from "./engine/connect.ts";
import { unlessStatus } from "./engine/engine-error.ts";
import { ContainerGone } from "./exec/container-gone.ts";
import { startExec } from "./exec/start-exec.ts";
import { ensureImage } from "./image/ensure-image.ts";
import { checkedReference } from "./image/reference.ts";
import type { DockerSettings } from "./settings.ts";

/** Seconds between asking a container to stop and forcing it, and how long that may take in all. */
const stopSeconds = 10;
const stopLimitMs = 15_000;

/** Opens the sandbox of a task. @throws {BackendUnavailable} When engine, image or container cannot be had. */
export async function openSandbox(settings: DockerSettings, context: OpenContext): Promise<Sandbox> {
	checkedReference(settings.docker_image, context.hostEnvironment);
	await using opening = new AsyncDisposableStack();
	const engine = opening.use(await connectEngine(context.hostEnvironment, context.signal));
	const plan = await planContainer(engine, settings, context);
	const run = crypto.randomUUID();
	const first = await open(engine, plan, run);
	const opened = opening.move();
	return sandboxOf({ engine, plan, run, first }, () => opened.disposeAsync());
}

interface Opened {
	readonly engine: Engine;
	readonly plan: ContainerPlan;
	readonly run: string;
	readonly first: ProbedContainer;
}

function sandboxOf({ engine, plan, run, first }: Opened, close: () => Promise<void>): Sandbox {
	const alive = new Set<Running>();
	let place = first;
	let reopening: Promise<ProbedContainer> | undefined;
	const reopen = async (lost: ProbedContainer, cause: unknown) => {
		// Several commands may find out at the same moment.
		if (place !== lost) return place;
		if (!plan.isKept) {
			throw new BackendUnavailable(`Cannot start the command: ${lost.name} is gone, and its files with it`, { cause });
		}
		reopening ??= open(engine, { ...plan, signal: new AbortController().signal }, run).finally(() => {
			reopening = undefined;
		});
		place = await reopening;
		return place;
	};
	return {
		get ranOn() {
			return `docker:${place.container.id.slice(0, 12)}`;
		},
		async start(argv, options) {
			const running = await startSomewhere(place, reopen, { argv, options });
			alive.add(running);
			const forget = () => alive.delete(running);
			running.exited.then(forget, forget);
			return running;
		},
		async [Symbol.asyncDispose]() {
			await Promise.allSettled([...alive].map((running) => running.kill()));
			if (!plan.isKept) await Promise.race([stop(place), Bun.sleep(stopLimitMs)]);
			await close();
		},
	};
}

interface Request {
	readonly argv: readonly string[];
	readonly options: StartOptions;
}

/** In `place`, or, when that is gone before anything was started, once more in what takes its place. */
async function startSomewhere(
	place: ProbedContainer,
	reopen: (lost: ProbedContainer, cause: unknown) => Promise<ProbedContainer>,
	{ argv, options }: Request,
): Promise<Running> {
	try {
		return await startExec(place, argv, options);
	} catch (cause) {
		if (!(cause instanceof ContainerGone)) throw cause;
		return startExec(await reopen(place, cause), argv, options);
	}
}

async function planContainer(engine: Engine, settings: DockerSettings, context: OpenContext): Promise<ContainerPlan> {
	const { docker, isLocal } = engine;
	const { hostEnvironment: variables, signal, taskId, home } = context;
	const tell = (line: string) => context.onProgress?.(line);
	const reference = settings.docker_image;
	const image = await ensureImage(docker, { reference, variables, signal, onProgress: tell });
	const facts = await engineFacts(docker);
	const request = createRequest(settings, {
		entrypoint: [image.Config.Entrypoint ?? []].flat(),
		processors: facts.NCPU,
		mounts: planMounts(settings, { isLocal, taskId, home, userHome: variables.HOME ?? "/", warn: tell }),
		user: settings.docker_run_as_host_user ? hostUser(tell) : undefined,
	});
	if (settings.docker_orphan_reaper) await reapOrphans(docker, home, settings.lifetime_seconds);
	return {
		request: await withDiskLimit(docker, request, { settings, facts, warn: tell }),
		owner: { taskId, home },
		isKept: settings.docker_persist_across_processes,
		signal,
		tell,
	};
}

function hostUser(warn: (text: string) => void): string | undefined {
	const [uid, gid] = [process.getuid?.(), process.getgid?.()];
	if (uid !== undefined && gid !== undefined) return `${uid}:${gid}`;
	warn("Cannot run the container as the user of this machine: it has no user ids");
	return undefined;
}

async function open({ docker }: Engine, plan: ContainerPlan, run: string): Promise<ProbedContainer> {
	const { container, isNew } = await openContainer(docker, plan);
	try {
		return await probe({ docker, container, run }, plan.signal);
	} catch (cause) {
		const words = cause instanceof ContainerGone ? await unlessStatus([404], lastWords(container)) : undefined;
		if (isNew) await removeContainer(container);
		if (!(cause instanceof ContainerGone)) throw cause;
		throw new BackendUnavailable(
			`Cannot use a container of "${plan.request.Image}": it ended at once${words ? `: ${words}` : ""}`,
			{ cause },
		);
	}
}

async function stop({ container }: ProbedContainer): Promise<void> {
	await unlessStatus([304, 404], container.stop({ t: stopSeconds }));
	await removeContainer(container);
}
