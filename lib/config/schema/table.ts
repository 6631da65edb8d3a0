/** The key table: every key of config.yaml with its type, default and meaning, and how a path finds its row. */

import { nearestName } from "../../base/nearest-name.ts";
import { agentKeys, knownAuxiliaryTasks, modelKeys, securityKeys } from "./agent-keys.ts";
import type { Key, ValueOf } from "./key.ts";
import { displayKeys, gatewayKeys, upkeepKeys } from "./surface-keys.ts";
import { terminalKeys, toolKeys } from "./terminal-keys.ts";

/** Every key hermes itself knows. `*` stands for one part of the path that the user chooses. */
export const keyTable = {
	...modelKeys,
	...agentKeys,
	...securityKeys,
	...terminalKeys,
	...toolKeys,
	...displayKeys,
	...gatewayKeys,
	...upkeepKeys,
} as const;

type PathOf<K extends string> = K extends `${infer Head}.*.${infer Tail}`
	? `${Head}.${string}.${Tail}`
	: K extends `${string}.*`
		? never
		: K;

/** Path of a known key to the type of its value; `auxiliary.vision.model` is found through `auxiliary.*.model`. */
export type ConfigValues = {
	[K in keyof typeof keyTable as PathOf<K>]: ValueOf<(typeof keyTable)[K]>;
};

/** A path whose type is known. */
export type ConfigKey = keyof ConfigValues;

/** A row as found by a path. */
export interface FoundKey {
	readonly path: string;
	readonly key: Key;
}

/** What the table knows about paths. */
export interface Schema {
	/** The row of `path`; aliases lead to their key. */
	find(path: string): FoundKey | undefined;
	/** `path` is a section: keys lie below it. */
	isSection(path: string): boolean;
	/** `path` lies below a key whose content is the user's own: any name may stand there. */
	isFree(path: string): boolean;
	/** Every concrete path, in table order: the side tasks of the original stand for `auxiliary.*`. */
	readonly paths: readonly string[];
	/** What a wrong `path` was most likely meant to be. */
	nearest(path: string): string | undefined;
}

/**
 * The table with the keys of plug-ins added. A plug-in's row replaces ours of the same path, unless more than that plug-in goes
 * by the key: then a wrong value is refused always, as our row wants it.
 */
export function createSchema(extra: Readonly<Record<string, Key>> = {}): Schema {
	const own: Readonly<Record<string, Key>> = keyTable;
	const added = Object.entries(extra).map(([path, row]) => {
		const shared = own[path];
		if (shared === undefined || shared.lazy) return [path, row] as const;
		// Whoever sets it for the plug-in may do so by its variable.
		const environment = [...new Set([...(shared.environment ?? []), ...(row.environment ?? [])])];
		return [path, { ...shared, environment, used: true }] as const;
	});
	const rows: Readonly<Record<string, Key>> = { ...own, ...Object.fromEntries(added) };
	const exact = new Map(Object.entries(rows).filter(([path]) => !path.includes("*")));
	const patterns = Object.entries(rows).filter(([path]) => path.includes("*"));
	const aliases = new Map(
		[...exact].flatMap(([path, key]) => (key.aliases ?? []).map((alias) => [alias, path] as const)),
	);
	const sections = new Set(Object.keys(rows).flatMap(sectionsOf));

	const find = (asked: string): FoundKey | undefined => {
		const path = aliases.get(asked) ?? asked;
		const key = exact.get(path) ?? patterns.find(([pattern]) => matches(pattern, path))?.[1];
		return key && { path, key };
	};
	const paths = Object.keys(rows).flatMap((path) => {
		if (path.startsWith("auxiliary.*.") && path !== "auxiliary.*.*") {
			return knownAuxiliaryTasks.map((task) => path.replace("*", task));
		}
		return path.includes("*") ? [] : [path];
	});
	return {
		find,
		isFree: (path) => sectionsOf(path).some((above) => /^(?:map|any)$/.test(find(above)?.key.kind.type ?? "")),
		isSection: (path) => sections.has(path) || patterns.some(([pattern]) => isAbove(path, pattern)),
		paths,
		nearest: (path) => nearestName(path, [...paths, ...sections]) ?? sameLastPart(path, paths),
	};
}

/** The table without plug-ins. */
export const ownSchema: Schema = createSchema();

function sectionsOf(path: string): string[] {
	const parts = path.split(".");
	return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("."));
}

function matches(pattern: string, path: string): boolean {
	const wanted = pattern.split(".");
	const parts = path.split(".");
	return wanted.length === parts.length && wanted.every((part, index) => part === "*" || part === parts[index]);
}

/** `auxiliary.vision` lies above `auxiliary.*.model`. */
function isAbove(path: string, pattern: string): boolean {
	const depth = path.split(".").length;
	const above = pattern.split(".").slice(0, depth);
	return depth < pattern.split(".").length && matches(above.join("."), path);
}

/** `max_turns` under the wrong section is still recognised. */
function sameLastPart(path: string, paths: readonly string[]): string | undefined {
	const last = path.slice(path.lastIndexOf(".") + 1);
	return paths.find((known) => known.slice(known.lastIndexOf(".") + 1) === last);
}
