/** What a script found at a path, and the refusals that reading and writing share. */

import { posix } from "node:path";
import type { HomeFolders } from "../security/path-safety.ts";
import type { FileRefused } from "./place.ts";
import type { ScriptAnswer } from "./run-script.ts";
import { similarNames } from "./similar-names.ts";

/** Why a path leads nowhere. */
export const deadEnds = {
	unresolved: "its path leads in a circle, or through something that is not a folder",
	closed: "its path leads through a folder that may not be entered: permission denied",
} as const;

type DeadEnd = keyof typeof deadEnds;

/** Where a path leads, and what is there. */
export interface Located {
	/** Absolute, links followed. */
	readonly path: string;
	readonly kind: "file" | "folder" | "missing" | "other" | "endless" | DeadEnd;
	readonly folders: HomeFolders;
	/** Names beside a missing file. */
	readonly neighbours: readonly string[];
}

const kinds = ["file", "folder", "missing", "other", "endless", "closed"] as const;

/**
 * What the script that began with `locate` says of `path`.
 * @throws {Error} When the script had no time to say where it is.
 */
export function locatedIn({ fields, timedOut }: ScriptAnswer, path: string): Located {
	if (timedOut) throw new Error(`Cannot open "${path}": it did not answer in time`);
	const kind = kinds.find((known) => known === fields.get("kind")) ?? "unresolved";
	return {
		path: fields.get("path") ?? path,
		kind,
		folders: { home: fields.get("home") ?? "", hermesHome: fields.get("hermes_home") ?? "" },
		neighbours: (fields.get("names") ?? "").split("/").filter((name) => name !== ""),
	};
}

/** Why there is no text file to read at `asked`; undefined when there is a file. */
export function notReadable(located: Located, asked: string, isUnreadable: boolean): FileRefused | undefined {
	const { kind, path } = located;
	if (kind === "missing") {
		const similar = similarNames(posix.basename(path), located.neighbours);
		const details =
			similar.length === 0 ? {} : { similar_files: similar.map((name) => posix.join(posix.dirname(path), name)) };
		return { ok: false, error: `File not found: ${asked}`, details };
	}
	if (kind === "folder") return refused(asked, "it is a folder; list it with search_files and target files");
	if (kind === "other") return refused(asked, "it is a device, a pipe or a socket");
	if (kind === "endless") return refused(asked, "it never ends, or waits for ever");
	if (kind === "unresolved" || kind === "closed") return refused(asked, deadEnds[kind]);
	return isUnreadable ? refused(asked, "permission denied") : undefined;
}

function refused(asked: string, reason: string): FileRefused {
	return { ok: false, error: `Cannot read "${asked}": ${reason}` };
}
