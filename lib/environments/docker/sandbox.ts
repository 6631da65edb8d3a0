/** A container as the place where commands run. */

import { settledWithin } from "../../base/settled-within.ts";
import { BackendUnavailable, type OpenContext, type Sandbox, type StartOptions } from "../backend.ts";
import { type KeptPlace, openPlace } from "./container/kept-place.ts";
import { removeContainer } from "./container/open-container.ts";
import { planContainer } from "./container/plan-container.ts";
import { reapOrphans } from "./container/reaper.ts";
import { connectEngine, type Engine } from "./engine/connect.ts";
import { orUnavailable, unlessStatus } from "./engine/engine-error.ts";
import { ContainerGone } from "./exec/container-gone.ts";
import { type ExecPlace, type ExecRunning, startExec } from "./exec/start-exec.ts";
import { checkedReference } from "./image/reference.ts";
import type { DockerSettings } from "./settings.ts";

/** Seconds between asking a container to stop and forcing it, and how long putting it away may take in all. */
const stopSeconds = 10;
const closeLimitMs = 14_000;

/** Opens the sandbox of a task. @throws {BackendUnavailable} When engine, image or container cannot be had. */
export async function openSandbox(settings: DockerSettings, context: OpenContext): Promise<Sandbox> {
	checkedReference(settings.docker_image, context.hostEnvironment);
	await using opening = new AsyncDisposableStack();
	const engine = opening.use(await connectEngine(context.hostEnvironment, context.signal));
	const { place, isKept } = await orUnavailable("Cannot open a container", () => open(engine, settings, context));
	if (!isKept && settings.life !== "found") opening.defer(() => settledWithin(putAway(place.current), closeLimitMs));
	const opened = opening.move();
	return sandboxIn(place, () => opened.disposeAsync());
}

async function open(engine: Engine, settings: DockerSettings, context: OpenContext) {
	const { docker } = engine;
	const tell = (line: string) => context.onProgress?.(line);
	const reaping = { home: context.home, lifetimeSeconds: settings.lifetime_seconds, tell };
	if (settings.docker_orphan_reaper) await reapOrphans(docker, reaping);
	const plan = await planContainer(engine, settings, context);
	return { place: await openPlace(docker, plan, crypto.randomUUID()), isKept: plan.isKept };
}

function sandboxIn(place: KeptPlace, close: () => Promise<void>): Sandbox {
	const alive = new Set<ExecRunning>();
	return {
		get ranOn() {
			return `docker:${place.current.container.id.slice(0, 12)}`;
		},
		async start(argv, options) {
			const running = await startIn(place, argv, options);
			alive.add(running);
			const forget = () => alive.delete(running);
			running.exited.then(forget, forget);
			return running;
		},
		async [Symbol.asyncDispose]() {
			await Promise.allSettled([...alive].map(endIfRunning));
			await close();
		},
	};
}

/** In the container, or, when that is gone before anything was started, once more in what takes its place. */
async function startIn(place: KeptPlace, argv: readonly string[], options: StartOptions): Promise<ExecRunning> {
	const { current } = place;
	try {
		return await startExec(current, argv, options);
	} catch (cause) {
		if (!(cause instanceof ContainerGone)) throw cause;
		return startAgain(await place.replace(current, cause), argv, options);
	}
}

async function startAgain(next: ExecPlace, argv: readonly string[], options: StartOptions): Promise<ExecRunning> {
	try {
		return await startExec(next, argv, options);
	} catch (cause) {
		if (!(cause instanceof ContainerGone)) throw cause;
		throw new BackendUnavailable(`Cannot start the command: ${next.name} is gone again`, { cause });
	}
}

/** Servers that ended commands left behind are to live on; the engine tells late that such a command has ended. */
async function endIfRunning(running: ExecRunning): Promise<void> {
	if (await running.isRunning()) await running.kill();
}

async function putAway({ container, name }: ExecPlace): Promise<void> {
	await orUnavailable(`Cannot remove ${name}`, async () => {
		await unlessStatus([304, 404], container.stop({ t: stopSeconds }));
		await removeContainer(container);
	});
}
