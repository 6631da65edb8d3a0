/** Which files a turn leaves as they were although the model tried to change them: its answer may say otherwise. */

import { posix } from "node:path";
import type { CallTraits, ToolOutcome } from "../agent.ts";

/** What is known of one turn. */
export interface FailedEdits {
	/** Told of each call of the turn, in the order of the calls. */
	after(traits: CallTraits, outcome: Pick<ToolOutcome, "isError">): void;
	/** Files whose last edit failed, the first that failed first. */
	paths(): readonly string[];
}

/** Nothing has failed yet. */
export function createFailedEdits(): FailedEdits {
	const failed = new Set<string>();
	return {
		// What a command changes is not known for certain: only tools that change files and nothing else are looked at.
		after({ isConfined, changes = [] }, { isError }) {
			if (isConfined !== true) return;
			for (const path of changes) {
				if (isError) failed.add(path);
				else failed.delete(path);
			}
		},
		paths: () => [...failed],
	};
}

const mostNamed = 10;

/** What the user is told beside the answer; undefined when every file is as the model wants it. */
export function failedEditsWarning(paths: readonly string[], cwd: string): string | undefined {
	if (paths.length === 0) return undefined;
	const named = paths.slice(0, mostNamed).map((path) => shortPath(path, cwd));
	const more = paths.length > mostNamed ? ` and ${paths.length - mostNamed} more` : "";
	return `The last edit of ${named.join(", ")}${more} failed in this turn, whatever the answer says`;
}

function shortPath(path: string, cwd: string): string {
	const inside = posix.relative(cwd, path);
	return inside === "" || inside.startsWith("..") ? path : inside;
}
