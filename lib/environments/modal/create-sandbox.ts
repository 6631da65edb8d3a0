/** Creates a sandbox within the limit, and patiently where Modal asks for patience. */

import type { App, Image, ModalClient, Sandbox, SandboxCreateParams } from "modal";
import { untilAborted } from "../../base/abort.ts";
import { codeOf, status } from "./failures.ts";
import { imageFor } from "./image.ts";
import { createLimitMs } from "./limits.ts";
import type { ModalSettings } from "./settings.ts";

/** What a sandbox is made with. */
export interface CreateRequest {
	readonly client: ModalClient;
	readonly settings: ModalSettings;
	readonly taskId: string;
	readonly signal: AbortSignal;
	/** One line of progress. */
	tell(line: string): void;
}

/** A user who waits wants to see that something is going on. */
const progressMs = 10_000;

/** Pauses when Modal has no room and does not say how long to wait. */
const firstPauseMs = 1_000;
const longestPauseMs = 15_000;

/** Everything of ours is in one app of the user's account. */
const appName = "hermes-agent";

/**
 * A running sandbox of `image`: a name in a registry or `im-…`.
 * @throws What Modal answered, the reason of the signal, or an Error when it took too long.
 */
export async function createSandbox(request: CreateRequest, image: string): Promise<Sandbox> {
	const { client, signal, tell } = request;
	const limit = AbortSignal.timeout(createLimitMs);
	const either = AbortSignal.any([signal, limit]);
	const startedAt = performance.now();
	const seconds = () => Math.round((performance.now() - startedAt) / 1000);
	const progress = setInterval(() => tell(`Modal is still starting the sandbox (${seconds()} s)`), progressMs);
	try {
		const app = await untilAborted(client.apps.fromName(appName, { createIfMissing: true }), either);
		const source = await untilAborted(imageFor(client, image), either);
		return await createPatiently(request, { app, image: source }, either);
	} catch (cause) {
		signal.throwIfAborted();
		if (!limit.aborted) throw cause;
		throw new Error(`it took longer than ${createLimitMs / 1000} s`, { cause });
	} finally {
		clearInterval(progress);
	}
}

async function createPatiently(
	{ client, settings, taskId, tell }: CreateRequest,
	{ app, image }: { readonly app: App; readonly image: Image },
	signal: AbortSignal,
): Promise<Sandbox> {
	for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
		try {
			return await orTerminated(client.sandboxes.create(app, image, createParams(settings, taskId)), signal);
		} catch (cause) {
			if (signal.aborted || codeOf(cause) !== status.resourceExhausted) throw cause;
			tell(`Modal has no room for the sandbox now; trying again in ${pauseMs / 1000} s`);
			await untilAborted(Bun.sleep(pauseMs), signal);
		}
	}
}

/** One that comes when nobody wants it any more would run, and cost, until the end of its life. */
async function orTerminated(creating: Promise<Sandbox>, signal: AbortSignal): Promise<Sandbox> {
	try {
		return await untilAborted(creating, signal);
	} catch (cause) {
		if (signal.aborted) void creating.then((sandbox) => sandbox.terminate()).catch(() => undefined);
		throw cause;
	}
}

/** The library has no parameter for the size of the disk. */
function createParams(settings: ModalSettings, taskId: string): SandboxCreateParams {
	const { container_cpu: cpu, container_memory: memoryMiB, modal_timeout } = settings;
	return {
		command: ["sleep", "infinity"],
		// Left out, it would be five minutes.
		timeoutMs: modal_timeout * 1000,
		...(cpu > 0 && { cpu }),
		...(memoryMiB > 0 && { memoryMiB }),
		tags: { "hermes-agent": "1", "hermes-task": tagValue(taskId) },
	};
}

function tagValue(taskId: string): string {
	return taskId.replace(/[^\w.-]+/g, "_").slice(0, 63) || "unknown";
}
