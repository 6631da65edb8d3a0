/** What the agent of a place knows of its files. */

import type { Staleness } from "./file-state.ts";
import type { FilePlace } from "./place.ts";

/** The agent has seen the file at `path` (absolute, links followed), or a part of it. */
export function noteRead(
	place: FilePlace,
	path: string,
	seen: { readonly stamp: string | undefined; readonly isPartial: boolean },
): void {
	const { stamp, isPartial } = seen;
	if (stamp !== undefined && stamp !== "")
		place.fileState?.wasRead(agentOf(place), keyOf(place, path), { stamp, isPartial });
}

/** The agent has changed the file at `path`. */
export function noteWrite(place: FilePlace, path: string, stamp: string | undefined): void {
	place.fileState?.wasWritten(agentOf(place), keyOf(place, path), stamp ?? "");
}

/** What is against a change of the file at `path`, or worth a warning. */
export function stalenessAt(
	place: FilePlace,
	path: string,
	state: { readonly stamp: string | undefined; readonly isWhole: boolean },
): Staleness {
	return place.fileState?.staleness(agentOf(place), keyOf(place, path), state) ?? {};
}

function agentOf({ sessionId = "" }: FilePlace): string {
	return sessionId;
}

function keyOf({ ranOn = "" }: FilePlace, path: string): string {
	return `${ranOn}:${path}`;
}
