/** Settings that had another place in older layouts of config.yaml, those of the Python original included. */

import { isMap } from "../expand.ts";

/** The layout that is written now. */
export const layoutVersion = 29;

/** One setting that moves. */
export interface Move {
	readonly from: readonly string[];
	readonly to: readonly string[];
	readonly value: unknown;
}

/** What a file of an older layout needs. */
export interface MigrationPlan {
	readonly moves: readonly Move[];
	/** Settings that stay, since something else is at their new place, which counts. */
	readonly left: readonly Pick<Move, "from" | "to">[];
	/** The layout that the file names; undefined when it names none. */
	readonly version: number | undefined;
}

/** Old place and new place. Values never change, names of toolsets, tools and models least of all. */
const renamed: readonly (readonly [from: string, to: string])[] = [
	["max_turns", "agent.max_turns"],
	["agent.prefill_messages_file", "prefill_messages_file"],
	["provider", "model.provider"],
	["base_url", "model.base_url"],
	["terminal.env_type", "terminal.backend"],
	["compression.summary_model", "auxiliary.compression.model"],
	["compression.summary_provider", "auxiliary.compression.provider"],
	["compression.summary_base_url", "auxiliary.compression.base_url"],
];

/** What has to move in `content`, the map of a config.yaml. Nothing for one that is new already. */
export function planMigration(content: Readonly<Record<string, unknown>>): MigrationPlan {
	const moves: Move[] = [];
	const left: Pick<Move, "from" | "to">[] = [];
	for (const [from, to] of [...renamed.map(splitPair), ...speechModel(content), ...progressOfPlatforms(content)]) {
		const value = valueAt(content, from);
		if (value === undefined) continue;
		const there = valueAt(content, to);
		const isFree = there === undefined && hasRoom(content, to);
		if (isFree || Bun.deepEquals(there, value)) moves.push({ from, to, value });
		else left.push({ from, to });
	}
	const { _config_version: version } = content;
	return { moves, left, version: typeof version === "number" ? version : undefined };
}

/** `a.b → c.d`, one after the other. */
export function listed(moves: readonly Pick<Move, "from" | "to">[]): string {
	return moves.map(({ from, to }) => `${from.join(".")} → ${to.join(".")}`).join(", ");
}

/** The value at `path`; undefined when there is none. */
export function valueAt(content: Readonly<Record<string, unknown>>, path: readonly string[]): unknown {
	return path.reduce<unknown>((above, part) => (isMap(above) && Object.hasOwn(above, part) ? above[part] : undefined), {
		...content,
	});
}

/** Nothing stands where the sections above `path` have to be. */
function hasRoom(content: Readonly<Record<string, unknown>>, path: readonly string[]): boolean {
	return path.slice(0, -1).every((part, at) => {
		const value = valueAt(content, path.slice(0, at + 1));
		return value === undefined || value === null || isMap(value) || (part === "model" && typeof value === "string");
	});
}

type Pair = readonly [from: readonly string[], to: readonly string[]];

function splitPair([from, to]: readonly [string, string]): Pair {
	return [from.split("."), to.split(".")];
}

/** One model for all services that listen: that of the service in use. */
function speechModel({ stt }: Readonly<Record<string, unknown>>): readonly Pair[] {
	const provider = isMap(stt) && typeof stt.provider === "string" && stt.provider !== "" ? stt.provider : "local";
	return [
		[
			["stt", "model"],
			["stt", provider, "model"],
		],
	];
}

function progressOfPlatforms(content: Readonly<Record<string, unknown>>): readonly Pair[] {
	const from = ["display", "tool_progress_overrides"];
	const platforms = valueAt(content, from);
	if (!isMap(platforms)) return [];
	return Object.keys(platforms).map((name) => [
		[...from, name],
		["display", "platforms", name, "tool_progress"],
	]);
}
