/** What went wrong between us and Daytona, read from what its SDK throws. */

import { z } from "zod";
import { reasonOf } from "../../base/attempt.ts";
import { BackendUnavailable } from "../backend.ts";

/** Headers come as an object with methods of its own; only its fields are of interest. */
const shape = z.looseObject({
	statusCode: z.number().optional().catch(undefined),
	headers: z.record(z.string(), z.unknown()).optional().catch(undefined),
});

/** An answer of the service that is no success, or none at all. */
export interface ServiceError {
	/** HTTP status; undefined when there was no answer. */
	readonly status: number | undefined;
	/** How long the service asks us to wait. */
	readonly retryAfterMs: number | undefined;
	readonly reason: string;
}

/** Statuses of requests that may be made. */
const unauthorized = 401;
const forbidden = 403;
/** The thing asked for does not exist. */
export const missing = 404;
/** Somebody else is changing it, or the name is taken. */
export const conflict = 409;
const throttled = 429;

/** Reads a thrown value. */
export function serviceError(cause: unknown): ServiceError {
	const { statusCode, headers } = shape.parse(cause instanceof Error ? { ...cause } : {});
	const seconds = Number(headers?.["retry-after"]);
	return {
		status: statusCode,
		retryAfterMs: Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : undefined,
		reason: reasonOf(cause),
	};
}

/** Whether the same request may succeed a moment later: it was refused for now, or the service is in trouble. */
export function isPassing({ status }: ServiceError): boolean {
	return status === undefined || status === throttled || status >= 500;
}

/** Of a request whose answer was lost or late: whether it may have been carried out all the same. */
export function mayHaveBeenDone({ status }: ServiceError): boolean {
	return status === undefined || status >= 500;
}

/** The failure of something that needs the service, in words for the user. */
export function unavailable(what: string, cause: unknown): BackendUnavailable {
	if (cause instanceof BackendUnavailable) return cause;
	const { status, reason } = serviceError(cause);
	if (status === unauthorized) {
		return new BackendUnavailable(
			`${what}: Daytona does not accept the key in DAYTONA_API_KEY (${reason}); it may have been revoked or have expired`,
			{ cause },
		);
	}
	if (status === forbidden) {
		return new BackendUnavailable(`${what}: the key in DAYTONA_API_KEY may not do this (${reason})`, { cause });
	}
	return new BackendUnavailable(`${what}: ${reason}`, { cause });
}
