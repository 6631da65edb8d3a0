/** Has the gateway make a sandbox, and lets it go again. */

import { z } from "zod";
import { BackendUnavailable } from "../backend.ts";
import { askPatiently, GatewayBusy, type GatewayClient, GatewayRefused } from "./client.ts";
import type { ManagedSettings } from "./settings.ts";

/** What to make. */
export interface CreateRequest {
	readonly client: GatewayClient;
	readonly settings: ManagedSettings;
	/** The task whose files it keeps. */
	readonly taskId: string;
	readonly signal: AbortSignal;
	/** One line for a person to read. */
	tell(line: string): void;
}

/** A sandbox of the gateway. */
export interface ManagedSandbox {
	readonly id: string;
	/** Whether its files are kept when it is let go. */
	readonly isKept: boolean;
}

/** A pull of a large image is part of it. */
const createLimitMs = 300_000;
const attemptLimitMs = 60_000;
const terminateLimitMs = 60_000;

/** An hour, as for sandboxes of one's own. */
const lifeMs = 3_600_000;
const leastIdleMs = 300_000;

/** A person who waits is told this often that something still happens. */
const progressMs = 10_000;

const created = z.object({ id: z.string().min(1) });

/**
 * Makes the sandbox of a task. The same request may arrive twice: it carries one key, so that there is one sandbox. Kept files
 * that cannot be had again are not overwritten: then the sandbox starts from its image, and keeps nothing.
 * @throws {BackendUnavailable}
 */
export async function createSandbox(request: CreateRequest): Promise<ManagedSandbox> {
	const { settings, tell } = request;
	const isKept = settings.container_persistent;
	try {
		return { id: await create(request, isKept), isKept };
	} catch (cause) {
		if (!isKept || !isRestoreFailure(cause)) throw explained(request, cause);
		tell(
			`The files kept for this task cannot be restored (${cause.message}). The sandbox starts from its image, and what is done in it is not kept, so that the kept files stay as they are`,
		);
	}
	try {
		return { id: await create(request, false), isKept: false };
	} catch (cause) {
		throw explained(request, cause);
	}
}

async function create({ client, settings, taskId, signal, tell }: CreateRequest, isKept: boolean): Promise<string> {
	const { modal_image: image, container_cpu: cpu, container_memory: memory, container_disk: disk } = settings;
	const timeoutMs = settings.modal_timeout === undefined ? lifeMs : settings.modal_timeout * 1000;
	const commandMs = (settings.timeout ?? 0) * 1000;
	const body = {
		image,
		cwd: "/root",
		cpu: cpu > 0 ? cpu : 1,
		memoryMiB: memory > 0 ? memory : 5120,
		timeoutMs,
		idleTimeoutMs: Math.max(leastIdleMs, commandMs),
		persistentFilesystem: isKept,
		logicalKey: taskId,
		...(disk > 0 && { diskMiB: disk }),
	};
	const headers = { "x-idempotency-key": crypto.randomUUID() };
	const limitMs = Math.min(attemptLimitMs, createLimitMs);
	const began = performance.now();
	tell(`Starting a managed Modal sandbox of ${image}`);
	using _progress = every(progressMs, () => {
		tell(`The sandbox is still starting (${Math.round((performance.now() - began) / 1000)} s)`);
	});
	const answer = await askPatiently(
		client,
		{ method: "POST", path: "/v1/sandboxes", body, headers, limitMs, signal },
		{
			untilMs: began + createLimitMs,
			onWait(reason, waitMs) {
				if (waitMs >= 1_000)
					tell(`The gateway asks for patience (${reason}); trying again in ${Math.round(waitMs / 1000)} s`);
			},
		},
	);
	return created.parse(answer).id;
}

/** Lets the sandbox go. One that is gone already is fine. */
export async function terminateSandbox(client: GatewayClient, { id, isKept }: ManagedSandbox): Promise<void> {
	// Not the caller's signal: an interrupted session must still let its sandbox go.
	const signal = new AbortController().signal;
	const path = `/v1/sandboxes/${encodeURIComponent(id)}/terminate`;
	const body = { snapshotBeforeTerminate: isKept };
	const patience = { untilMs: performance.now() + terminateLimitMs };
	try {
		await askPatiently(client, { method: "POST", path, body, limitMs: terminateLimitMs, signal }, patience);
	} catch (cause) {
		if (cause instanceof GatewayRefused && [404, 409, 410].includes(cause.status)) return;
		const kept = isKept ? "; its files may not be kept" : "";
		const why = cause instanceof Error ? cause.message : String(cause);
		throw new BackendUnavailable(`Cannot end the managed sandbox ${id}: ${why}${kept}`, { cause });
	}
}

function isRestoreFailure(cause: unknown): cause is GatewayRefused {
	return cause instanceof GatewayRefused && /snapshot/i.test(`${cause.code} ${cause.message}`);
}

function explained({ client, settings, signal }: CreateRequest, cause: unknown): unknown {
	signal.throwIfAborted();
	if (cause instanceof GatewayBusy)
		return new BackendUnavailable(
			`Cannot open a managed Modal sandbox: the gateway ${client.gateway.url} is not available (${cause.message})`,
			{ cause },
		);
	if (cause instanceof GatewayRefused)
		return new BackendUnavailable(
			`Cannot open a managed Modal sandbox of "${settings.modal_image}": ${whyRefused(cause)}`,
			{
				cause,
			},
		);
	if (cause instanceof z.ZodError)
		return new BackendUnavailable(
			"Cannot open a managed Modal sandbox: the gateway does not name the sandbox it made",
			{
				cause,
			},
		);
	return cause;
}

function whyRefused({ status, message }: GatewayRefused): string {
	if (status === 401) return `${message}; log in to Nous again, or set TOOL_GATEWAY_USER_TOKEN`;
	if (status === 402 || status === 403)
		return `your account may not use it (${message}); with a Modal account of your own, set terminal.modal_mode to direct`;
	return message;
}

function every(ms: number, action: () => void): Disposable {
	const timer = setInterval(action, ms);
	return { [Symbol.dispose]: () => clearInterval(timer) };
}
