/** What a model is told when a call may not run. */

import { categories, type Danger } from "../commands/categories.ts";
import { type ApprovalRequest, filesOf } from "./request.ts";

const noWayAround =
	"Do not retry it, do not rephrase it, and do not reach the same end by another command or tool. Go on without it, or ask the user what to do.";

/** The hard line. */
export function blockedText(reason: string): string {
	return `Blocked, whatever the user's settings are: ${reason}. ${noWayAround}`;
}

/** The user said no, or gave no answer that could be one. */
export function deniedText(request: ApprovalRequest): string {
	return `The user denied ${nameOf(request)}. ${noWayAround}`;
}

/** The time for an answer is over. */
export function unansweredText(request: ApprovalRequest): string {
	return `Denied ${nameOf(request)}: the user did not answer in time, and silence is no consent. ${noWayAround}`;
}

/** A model decided. */
export function judgedText(request: ApprovalRequest, reason: string): string {
	return `Denied ${nameOf(request)}: it was judged to do harm (${reason}). ${noWayAround}`;
}

const allowEverything =
	"The user can allow such calls by starting hermes with --yolo, or with approvals.headless: approve.";

/** Nobody is there. `advice`: what whoever started hermes can do about it. */
export function unaskedText(request: ApprovalRequest, dangers: readonly Danger[], advice = allowEverything): string {
	const about = `it needs approval and nobody can be asked here; it ${describeDangers(dangers)}`;
	return `Denied ${nameOf(request)}: ${about}. ${noWayAround} ${advice}`;
}

/** `deletes folders, and runs what it downloads`. */
export function describeDangers(dangers: readonly Danger[]): string {
	return dangers.map(({ category }) => categories[category]).join("; ");
}

function nameOf(request: ApprovalRequest): string {
	if (request.kind === "script") return "this script";
	if (request.kind === "command") return "this command";
	if (request.kind === "note") return "this change of the notes";
	const names = filesOf(request).map((path) => JSON.stringify(path));
	return `writing ${names.join(", ")}`;
}
