/** What went wrong between us and the engine, read from what dockerode throws. */

import { z } from "zod";
import { BackendUnavailable } from "../../backend.ts";

const shape = z.looseObject({
	statusCode: z.number().optional(),
	code: z.string().optional(),
	json: z.looseObject({ message: z.string().optional(), cause: z.string().optional() }).optional().catch(undefined),
	message: z.string().default(""),
});

/** An answer of the engine that is no success, or a connection that broke. */
export interface EngineError {
	/** HTTP status of an answer; undefined when there was none. */
	readonly status: number | undefined;
	/** `ENOENT`, `ECONNREFUSED`: why there was no answer. */
	readonly code: string | undefined;
	/** The engine's own words. */
	readonly reason: string;
}

/** Reads a thrown value. */
export function engineError(cause: unknown): EngineError {
	const { statusCode, code, json, message } = shape.parse(
		cause instanceof Error ? { ...cause, message: cause.message, ...codeOf(cause) } : { message: String(cause) },
	);
	return { status: statusCode, code, reason: (json?.message ?? message).trim() };
}

/** Runs `request`; undefined when the engine answers with one of `statuses`. Other failures are thrown. */
export async function unlessStatus<T>(statuses: readonly number[], request: Promise<T>): Promise<T | undefined> {
	try {
		return await request;
	} catch (cause) {
		const { status } = engineError(cause);
		if (status !== undefined && statuses.includes(status)) return undefined;
		throw cause;
	}
}

/**
 * Runs `action`, and says of an engine that refused or went away that its place cannot be used.
 * @throws {BackendUnavailable}
 */
export async function orUnavailable<T>(what: string, action: () => Promise<T>): Promise<T> {
	try {
		return await action();
	} catch (cause) {
		if (cause instanceof BackendUnavailable) throw cause;
		const { status, code, reason } = engineError(cause);
		const isEngines = status !== undefined || (code !== undefined && code !== "ABORT_ERR");
		throw isEngines ? new BackendUnavailable(`${what}: ${reason}`, { cause }) : cause;
	}
}

function codeOf(cause: Error): { code?: string } {
	return "code" in cause && typeof cause.code === "string" ? { code: cause.code } : {};
}
