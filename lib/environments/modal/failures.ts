/** What Modal's answers mean to a user. */

import { reasonOf } from "../../base/attempt.ts";

/** The status codes of gRPC that are told apart. */
export const status = {
	cancelled: 1,
	deadlineExceeded: 4,
	notFound: 5,
	permissionDenied: 7,
	resourceExhausted: 8,
	unavailable: 14,
	unauthenticated: 16,
} as const;

/** Says nothing about what was asked for, only about the way there or about who asked: it may work another time. */
const passing: ReadonlySet<number> = new Set([
	status.cancelled,
	status.deadlineExceeded,
	status.permissionDenied,
	status.resourceExhausted,
	status.unavailable,
	status.unauthenticated,
]);

/** The code of a gRPC error; undefined for any other. */
export function codeOf(cause: unknown): number | undefined {
	if (!(cause instanceof Error)) return undefined;
	if (cause.name === "NotFoundError") return status.notFound;
	return "code" in cause && typeof cause.code === "number" ? cause.code : undefined;
}

/** Whether Modal does not take the token, or the token of a sandbox. */
export function isRefused(cause: unknown): boolean {
	const code = codeOf(cause);
	return code === status.unauthenticated || code === status.permissionDenied;
}

/** Whether the same may work another time. */
export function isPassing(cause: unknown): boolean {
	const code = codeOf(cause);
	return code !== undefined && passing.has(code);
}

/** One line: what went wrong, and what to do about it where that is known. `source` is where the token comes from. */
export function explain(cause: unknown, source: string): string {
	const said = detailsOf(cause);
	switch (codeOf(cause)) {
		case status.unauthenticated:
		case status.permissionDenied:
			return `Modal refuses the token of ${source} (${said}); make a new one with "modal token new", or set MODAL_TOKEN_ID and MODAL_TOKEN_SECRET`;
		case status.resourceExhausted:
			return `Modal has no room for it now (${said})`;
		case status.unavailable:
			return `Modal cannot be reached (${said})`;
		case status.deadlineExceeded:
			return `Modal does not answer (${said})`;
		default:
			return said;
	}
}

function detailsOf(cause: unknown): string {
	if (cause instanceof Error && "details" in cause && typeof cause.details === "string" && cause.details !== "")
		return cause.details.replace(/\s+/g, " ").trim();
	return reasonOf(cause);
}
