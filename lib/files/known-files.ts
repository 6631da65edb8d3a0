/** What the agent of a place knows of its files. */

import type { Staleness } from "./file-state.ts";
import type { FilePlace } from "./place.ts";
import type { PageOfFile } from "./shown-pages.ts";

/** The agent has seen the file at `path` (absolute, links followed), or a part of it. */
export function noteRead(
	place: FilePlace,
	path: string,
	seen: { readonly stamp: string | undefined; readonly isPartial: boolean; readonly page: PageOfFile },
): void {
	const { stamp, isPartial, page } = seen;
	if (stamp === undefined || stamp === "") return;
	const [agent, key] = [agentOf(place), keyOf(place, path)];
	place.fileState?.wasRead(agent, key, { stamp, isPartial });
	if (!place.isScript) place.fileState?.pages.wasShown(agent, key, { ...page, stamp });
}

/** How often the agent has asked for a page again that it has got, with this time; 0 when it is new, or has changed. */
export function repeatsOfPage(
	place: FilePlace,
	path: string,
	page: PageOfFile & { readonly stamp: string | undefined },
): number {
	const { stamp = "" } = page;
	// What a script has read is not before the eyes of the model.
	if (stamp === "" || place.isScript) return 0;
	return place.fileState?.pages.askedAgain(agentOf(place), keyOf(place, path), { ...page, stamp }) ?? 0;
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
