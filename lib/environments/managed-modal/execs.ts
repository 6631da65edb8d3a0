/** Runs one short program through the gateway: starts it, asks until it has ended, cancels it when it is not wanted any more. */

import { z } from "zod";
import { backoffMs } from "../../base/backoff.ts";
import { BackendUnavailable } from "../backend.ts";
import { ask, GatewayBusy, type GatewayClient, GatewayRefused, pause } from "./client.ts";

/** A sandbox, as far as running programs in it goes. */
export interface ExecPlace {
	readonly client: GatewayClient;
	readonly sandboxId: string;
	readonly limits: ExecLimits;
}

/** How long the gateway may take for one answer. */
export interface ExecLimits {
	readonly startMs: number;
	readonly pollMs: number;
	readonly cancelMs: number;
}

/** A program that ends by itself soon, and does no harm when it runs twice. */
export interface ExecRequest {
	readonly command: string;
	readonly stdinData?: string;
	/** After this the service ends it. */
	readonly timeoutMs: number;
	/** Aborting it cancels the exec. */
	readonly signal: AbortSignal;
	/** The service has taken it. */
	onTaken?(): void;
}

/** What became of it. */
export interface ExecEnd {
	readonly status: "completed" | "failed" | "cancelled" | "timeout";
	readonly output: string;
}

/** The exec is not known any more, or ended by somebody else; the sandbox itself may go on. */
export class ExecLost extends Error {
	override readonly name = "ExecLost";
}

/** The sandbox was not there any more when something should have been started in it: nothing was. */
export class SandboxGone extends Error {
	override readonly name = "SandboxGone";
}

/** Between two questions. A command that does nothing is over at once; the service wants four a second at the most. */
const firstPollMs = 8;
const longestPollMs = 250;

/** Later than the service itself should have ended it. */
const overdueMs = 10_000;

/** Failures in a row after which somebody else has to decide. */
const mostFailures = 3;

const finalStatuses = ["completed", "failed", "cancelled", "timeout"] as const;

const answered = z.object({
	execId: z.string().optional(),
	status: z.string(),
	output: z.string().nullish(),
});

type Answered = z.output<typeof answered>;

/**
 * Runs it to its end.
 * @throws {SandboxGone}
 * @throws {BackendUnavailable} When the gateway refuses.
 * @throws {GatewayBusy} When the gateway does not answer.
 * @throws {ExecLost}
 * @throws The reason of the signal.
 */
export async function runExec(place: ExecPlace, request: ExecRequest): Promise<ExecEnd> {
	const execId = crypto.randomUUID();
	try {
		return await follow(place, execId, request);
	} catch (cause) {
		// Whoever comes next does the same again; two of it would only be a burden to the sandbox.
		if (!(cause instanceof BackendUnavailable) && !(cause instanceof SandboxGone)) void cancel(place, execId);
		throw cause;
	}
}

async function follow(place: ExecPlace, execId: string, request: ExecRequest): Promise<ExecEnd> {
	const { timeoutMs, signal } = request;
	const giveUpAt = performance.now() + timeoutMs + overdueMs;
	let answer = await start(place, execId, request);
	request.onTaken?.();
	let failures = 0;
	for (let pollMs = firstPollMs; ; pollMs = Math.min(pollMs * 1.6, longestPollMs)) {
		const end = endOf(answer, execId);
		if (end !== undefined) return end;
		if (performance.now() > giveUpAt) throw new ExecLost("the service does not end it");
		await pause(pollMs, signal);
		try {
			answer = await poll(place, execId, signal);
			failures = 0;
		} catch (cause) {
			if (!(cause instanceof GatewayBusy) || ++failures === mostFailures) throw cause;
			await pause(cause.retryAfterMs ?? backoffMs(failures), signal);
		}
	}
}

/** An answer that was lost does not say whether the exec was taken: it is looked for before it is started again. */
async function start(place: ExecPlace, execId: string, request: ExecRequest): Promise<Answered> {
	const { signal } = request;
	for (let failures = 0; ; ) {
		try {
			return await post(place, { execId, request, isFirst: failures === 0 });
		} catch (cause) {
			if (!(cause instanceof GatewayBusy) || ++failures === mostFailures) throw cause;
			await pause(cause.retryAfterMs ?? backoffMs(failures), signal);
			const taken = await poll(place, execId, signal).catch(unlessNotTaken);
			if (taken !== undefined) return taken;
		}
	}
}

interface Post {
	readonly execId: string;
	readonly request: ExecRequest;
	/** No earlier attempt, whose answer was lost, may have been a start. */
	readonly isFirst: boolean;
}

async function post(place: ExecPlace, { execId, request, isFirst }: Post): Promise<Answered> {
	const { command, stdinData, timeoutMs, signal } = request;
	const body = { execId, command, cwd: "/", timeoutMs, ...(stdinData !== undefined && { stdinData }) };
	try {
		const path = `${pathOf(place)}/execs`;
		return answered.parse(
			await ask(place.client, { method: "POST", path, body, limitMs: place.limits.startMs, signal }),
		);
	} catch (cause) {
		if (!(cause instanceof GatewayRefused)) throw cause;
		if (isFirst && isGone(cause)) throw new SandboxGone(cause.message, { cause });
		throw refusal(place, cause);
	}
}

function unlessNotTaken(cause: unknown): undefined {
	if (!(cause instanceof ExecLost) && !(cause instanceof GatewayBusy)) throw cause;
}

async function poll(place: ExecPlace, execId: string, signal: AbortSignal): Promise<Answered> {
	const path = `${pathOf(place)}/execs/${execId}`;
	try {
		return answered.parse(await ask(place.client, { method: "GET", path, limitMs: place.limits.pollMs, signal }));
	} catch (cause) {
		// Whether it is the exec or the sandbox that is not there is told when the next one is started.
		if (cause instanceof GatewayRefused && (cause.status === 404 || cause.status === 410))
			throw new ExecLost(`the service does not know it any more (${cause.message})`);
		throw cause instanceof GatewayRefused ? refusal(place, cause) : cause;
	}
}

/** Not the caller's signal: it has aborted. Nobody waits for it, and an exec that is over already is fine. */
async function cancel({ client, limits, ...place }: ExecPlace, execId: string): Promise<void> {
	const path = `${pathOf(place)}/execs/${execId}/cancel`;
	const signal = new AbortController().signal;
	await ask(client, { method: "POST", path, body: {}, limitMs: limits.cancelMs, signal }).catch(() => undefined);
}

function pathOf({ sandboxId }: Pick<ExecPlace, "sandboxId">): string {
	return `/v1/sandboxes/${encodeURIComponent(sandboxId)}`;
}

function endOf(answer: Answered, execId: string): ExecEnd | undefined {
	if (answer.execId !== undefined && answer.execId !== execId)
		throw new ExecLost("the service answers about another one");
	const status = finalStatuses.find((final) => final === answer.status);
	return status === undefined ? undefined : { status, output: answer.output ?? "" };
}

function isGone({ status }: GatewayRefused): boolean {
	return status === 404 || status === 409 || status === 410;
}

/** What a refusal means to whoever wanted to run something. */
function refusal({ sandboxId }: ExecPlace, cause: GatewayRefused): BackendUnavailable {
	const why = isGone(cause) ? goneWords(cause.message) : cause.message;
	return new BackendUnavailable(`Cannot use the managed sandbox ${sandboxId}: ${why}`, { cause });
}

/** The same for a sandbox that went away while something of ours ran in it. */
export function goneMeanwhile({ sandboxId }: ExecPlace, cause: SandboxGone): BackendUnavailable {
	return new BackendUnavailable(`Cannot use the managed sandbox ${sandboxId}: ${goneWords(cause.message)}`, { cause });
}

function goneWords(message: string): string {
	return `it is gone (${message}); the next command runs in a new one, with the files of the last snapshot where there is one`;
}
