/** What the configuration says about searching for tools. */

/** `auto`: search when the tools would fill too much of the model's context. */
export interface SearchSettings {
	readonly enabled: "auto" | "on" | "off";
	/** Percent of the context that deferrable tools may take before `auto` starts. */
	readonly thresholdPercent: number;
	readonly defaultLimit: number;
	readonly mostResults: number;
}

/** What holds where nothing is said. */
export const defaultSearch: SearchSettings = {
	enabled: "auto",
	thresholdPercent: 10,
	defaultLimit: 5,
	mostResults: 20,
};

/** Reads `tools.tool_search`: true, false, or a map; what makes no sense there counts as not said. */
export function readSearchSettings(value: unknown): SearchSettings {
	if (typeof value !== "object" || value === null) return { ...defaultSearch, enabled: modeOf(value) };
	const said = (name: string): unknown => Reflect.get(value, name);
	const mostResults = within(said("max_search_limit"), { least: 1, most: 50, fallback: defaultSearch.mostResults });
	return {
		enabled: modeOf(said("enabled")),
		thresholdPercent: within(said("threshold_pct"), { least: 0, most: 100, fallback: defaultSearch.thresholdPercent }),
		defaultLimit: within(said("search_default_limit"), {
			least: 1,
			most: mostResults,
			fallback: defaultSearch.defaultLimit,
		}),
		mostResults,
	};
}

function modeOf(value: unknown): SearchSettings["enabled"] {
	const word = String(value).trim().toLowerCase();
	if (["true", "1", "yes", "on"].includes(word)) return value === true ? "auto" : "on";
	return ["false", "0", "no", "off"].includes(word) ? "off" : "auto";
}

function within(value: unknown, range: { least: number; most: number; fallback: number }): number {
	const number = typeof value === "number" && Number.isFinite(value) ? value : range.fallback;
	return Math.min(Math.max(number, range.least), range.most);
}
