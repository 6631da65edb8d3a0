/** A Modal sandbox of the user's own account as the place where commands run: its beginning, its files, its end. */

import type { Sandbox as ModalSandbox } from "modal";
import { settledWithin } from "../../base/settled-within.ts";
import { BackendUnavailable, type OpenContext, type Running, type Sandbox } from "../backend.ts";
import { closeRemoteHost, openRemoteHost, type RemoteHost } from "../ssh/remote/remote-host.ts";
import { startRemote } from "../ssh/remote/start-remote.ts";
import { connectModal } from "./connect.ts";
import { createSandbox } from "./create-sandbox.ts";
import { findAccount, type ModalAccount } from "./credentials.ts";
import { codeOf, explain, isPassing, status } from "./failures.ts";
import { createHandle, type Handle } from "./handle.ts";
import { saveLimitMs, terminateLimitMs, tidyLimitMs } from "./limits.ts";
import type { ModalSettings } from "./settings.ts";
import { claimTask, openSnapshots, type Snapshots } from "./snapshots.ts";
import { createModalTransport, type ModalPlace } from "./transport.ts";
import { watchSandbox } from "./watch.ts";

/** Before Modal ends a sandbox, its files are saved. */
const saveAheadMs = 120_000;

/** What an opened sandbox needs until its end. */
interface Opened {
	readonly handle: Handle;
	readonly account: ModalAccount;
	readonly settings: ModalSettings;
	readonly context: OpenContext;
	/** Where its files are saved; undefined when they are not to be kept. */
	readonly snapshots: Snapshots | undefined;
}

/** Opens the sandbox of a task. @throws {BackendUnavailable} When there is no token, or Modal gives no sandbox. */
export async function openDirect(settings: ModalSettings, context: OpenContext): Promise<Sandbox> {
	const account = findAccount(context.hostEnvironment);
	if (typeof account === "string") throw new BackendUnavailable(`Cannot use modal: ${account}`);
	const tell = (line: string) => context.onProgress?.(line);
	await using opening = new AsyncDisposableStack();
	const files = settings.container_persistent ? opening.use(claimFiles(context)) : undefined;
	const client = await connectModal(account, { tell });
	const request = { client, settings, taskId: context.taskId, signal: context.signal, tell };
	const sandbox = await beginning(account, context.signal, async () => {
		tell("Starting a Modal sandbox");
		return (await restored(request, files?.snapshots)) ?? (await createSandbox(request, settings.modal_image));
	});
	const handle = createHandle(sandbox, async (id) => (await connectModal(account, { tell })).sandboxes.fromId(id));
	opening.defer(() => terminate(handle, tell));
	const snapshots = files?.canSave === true ? files.snapshots : undefined;
	const opened = { handle, account, settings, context, snapshots };
	const place = placeOf(opened);
	opening.defer(place.stop);
	const host = await remoteHost(place, context.signal);
	const kept = opening.move();
	return sandboxOn({ opened, place, host, close: () => kept.disposeAsync() });
}

/** What goes wrong at the beginning, in words for a user. */
async function beginning<T>(account: ModalAccount, signal: AbortSignal, begin: () => Promise<T>): Promise<T> {
	try {
		return await begin();
	} catch (cause) {
		signal.throwIfAborted();
		if (cause instanceof BackendUnavailable) throw cause;
		throw new BackendUnavailable(`Cannot start a Modal sandbox: ${explain(cause, account.source)}`, { cause });
	}
}

/** The files of a task, and whether they may be saved: two processes that did would undo each other's work. */
interface KeptFiles extends Disposable {
	readonly snapshots: Snapshots;
	readonly canSave: boolean;
}

function claimFiles({ home, taskId, onProgress }: OpenContext): KeptFiles {
	const claim = claimTask(home, taskId);
	if (claim === undefined)
		onProgress?.(
			`Another process works in the Modal sandbox of task "${taskId}": this one begins with the files saved last, and what it changes is not kept`,
		);
	return {
		snapshots: openSnapshots(home, taskId),
		canSave: claim !== undefined,
		[Symbol.dispose]: () => claim?.[Symbol.dispose](),
	};
}

type Request = Parameters<typeof createSandbox>[0];

/** A sandbox with the files saved last; undefined when there are none, or Modal has lost them, which the user is told. */
async function restored(request: Request, snapshots: Snapshots | undefined): Promise<ModalSandbox | undefined> {
	const imageId = snapshots?.saved;
	if (snapshots === undefined || imageId === undefined) return undefined;
	try {
		const sandbox = await createSandbox(request, imageId);
		request.tell(`The sandbox begins with the files saved as ${imageId}`);
		return sandbox;
	} catch (cause) {
		request.signal.throwIfAborted();
		// They are not lost, only out of reach: a sandbox without them would be taken for theirs.
		if (isPassing(cause)) throw cause;
		await snapshots.forget(imageId);
		const why = codeOf(cause) === status.notFound ? "Modal does not have them any more" : explain(cause, "");
		request.tell(
			`The files saved as ${imageId} cannot be restored (${why}); the sandbox begins with ${request.settings.modal_image}`,
		);
		return undefined;
	}
}

interface WatchedPlace extends ModalPlace {
	/** Whether it has ended. */
	readonly hasEnded: boolean;
	stop(): void;
}

function placeOf({ handle, account }: Opened): WatchedPlace {
	const watch = watchSandbox(handle);
	return {
		name: `modal:${handle.sandbox.sandboxId}`,
		withHandle: handle.withHandle,
		ended: watch.ended,
		get hasEnded() {
			return watch.hasEnded;
		},
		stop: () => watch.stop(),
		explain: (cause) => (codeOf(cause) === status.notFound ? "the sandbox is gone" : explain(cause, account.source)),
	};
}

async function remoteHost(place: ModalPlace, signal: AbortSignal): Promise<RemoteHost> {
	const host = await openRemoteHost(createModalTransport(place), signal);
	// Lines go to /bin/sh, whatever shell the image prefers.
	return { ...host, loginShell: "/bin/sh" };
}

interface Living {
	readonly opened: Opened;
	readonly place: WatchedPlace;
	readonly host: RemoteHost;
	close(): Promise<void>;
}

function sandboxOn({ opened, place, host, close }: Living): Sandbox {
	const alive = new Set<Running>();
	const save = () => saveFiles(opened, place);
	const { modal_timeout } = opened.settings;
	const saveAfterMs = Math.max(modal_timeout * 1000 - saveAheadMs, (modal_timeout * 1000) / 2);
	const timer = setTimeout(() => void save(), saveAfterMs).unref();
	return {
		ranOn: place.name,
		async start(argv, options) {
			if (place.hasEnded) throw new BackendUnavailable(`Cannot use ${place.name}: ${await place.ended}`);
			const running = await startRemote(host, argv, options);
			alive.add(running);
			const forget = () => void alive.delete(running);
			running.exited.then(forget, forget);
			return running;
		},
		async [Symbol.asyncDispose]() {
			clearTimeout(timer);
			const tidyUp = async () => {
				await Promise.allSettled([...alive].map((running) => running.kill()));
				await closeRemoteHost(host, AbortSignal.timeout(tidyLimitMs));
			};
			// What cannot be tidied up any more is no reason to fail, or to wait: the files are what counts.
			if (!place.hasEnded)
				await settledWithin(
					tidyUp().catch(() => undefined),
					tidyLimitMs,
				);
			if (!place.hasEnded) await save();
			await close();
		},
	};
}

/** Saves the files of the sandbox, where they are to be kept. One that fails leaves what was saved before. */
async function saveFiles({ snapshots, account, context }: Opened, place: ModalPlace): Promise<void> {
	if (snapshots === undefined) return;
	try {
		// The one before is not deleted: the new one may be a difference to it. Modal forgets each after a month.
		const image = await place.withHandle((sandbox) => sandbox.snapshotFilesystem({ timeoutMs: saveLimitMs }));
		await snapshots.save(image.imageId);
	} catch (cause) {
		context.onProgress?.(`The files of ${place.name} could not be saved: ${explain(cause, account.source)}`);
	}
}

async function terminate(handle: Handle, tell: (line: string) => void): Promise<void> {
	const { promise: late, reject } = Promise.withResolvers<never>();
	const timer = setTimeout(() => reject(new Error("Modal does not answer")), terminateLimitMs);
	try {
		await Promise.race([handle.withHandle((sandbox) => sandbox.terminate()), late]);
	} catch (cause) {
		if (codeOf(cause) === status.notFound) return;
		const why = explain(cause, "your account");
		tell(`The Modal sandbox ${handle.sandbox.sandboxId} could not be ended (${why}); it ends when its time is over`);
	} finally {
		clearTimeout(timer);
		handle.sandbox.detach();
	}
}
