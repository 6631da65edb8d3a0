/** Which calls of one message may run at the same time. */

import type { CallTraits } from "../agent.ts";

/**
 * Groups of neighbours, one after the other: calls that only read or are made to run together, calls that change different files, and single calls. Calls
 * are never moved past each other: what the model wrote first has happened when the next group begins.
 */
export function groupCalls<C extends { readonly traits: CallTraits }>(calls: readonly C[]): readonly (readonly C[])[] {
	const groups: C[][] = [];
	for (const call of calls) {
		const group = groups.at(-1);
		if (group?.every((other) => runTogether(other.traits, call.traits))) group.push(call);
		else groups.push([call]);
	}
	return groups;
}

function runTogether(one: CallTraits, other: CallTraits): boolean {
	if (one.isInteractive || other.isInteractive) return false;
	if ((one.readOnly || one.isParallel) && (other.readOnly || other.isParallel)) return true;
	const [first, second] = [confinedTo(one), confinedTo(other)];
	if (first === undefined || second === undefined) return false;
	return !first.some((path) => second.some((another) => overlap(path, another)));
}

/** The files that a call may change, when it changes nothing else. */
function confinedTo({ isConfined, changes = [] }: CallTraits): readonly string[] | undefined {
	return isConfined && changes.length > 0 ? changes : undefined;
}

/** The same, or one inside the other. Some disks do not tell upper and lower case apart. */
function overlap(one: string, other: string): boolean {
	const [first, second] = [folder(one), folder(other)];
	return first.startsWith(second) || second.startsWith(first);
}

function folder(path: string): string {
	return `${path.toLowerCase().replace(/\/+$/, "")}/`;
}
