/** Mixtures of toolsets for batch runs: each set is drawn by itself, with its own chance. */

import { nearestName } from "../base/nearest-name.ts";
import { UnknownToolset } from "./toolsets.ts";

type Chances = Readonly<Record<string, number>>;

/** Distribution to toolset to percent. */
export const distributions: ReadonlyMap<string, Chances> = new Map<string, Chances>(
	Object.entries({
		default: { web: 100, vision: 100, image_gen: 100, terminal: 100, file: 100, moa: 100, browser: 100 },
		image_gen: { image_gen: 90, vision: 90, web: 55, terminal: 45, moa: 10 },
		research: { web: 90, browser: 70, vision: 50, moa: 40, terminal: 10 },
		science: { web: 94, terminal: 94, file: 94, vision: 65, browser: 50, image_gen: 15, moa: 10 },
		development: { terminal: 80, file: 80, moa: 60, web: 30, vision: 10 },
		safe: { web: 80, browser: 70, vision: 60, image_gen: 60, moa: 50 },
		balanced: { web: 50, vision: 50, image_gen: 50, terminal: 50, file: 50, moa: 50, browser: 50 },
		minimal: { web: 100 },
		terminal_only: { terminal: 100, file: 100 },
		terminal_web: { terminal: 100, file: 100, web: 100 },
		creative: { image_gen: 90, vision: 90, web: 30 },
		reasoning: { moa: 90, web: 30, terminal: 20 },
		browser_use: { browser: 100, web: 80, vision: 70 },
		browser_only: { browser: 100 },
		browser_tasks: { browser: 97, vision: 12, terminal: 15 },
		terminal_tasks: { terminal: 97, file: 97, web: 97, browser: 75, vision: 50, image_gen: 10 },
		mixed_tasks: { browser: 92, terminal: 92, file: 92, web: 35, vision: 15, image_gen: 15 },
	}),
);

/** How sets are drawn. */
export interface Draw {
	/** From 0 to below 1; `createRandom(seed)` makes a draw repeatable. */
	readonly random: () => number;
	/** Sets that this build has; others are skipped. */
	isUsable(toolset: string): boolean;
	onSkipped?(toolset: string): void;
}

/**
 * Toolsets drawn from `name`, in table order. When chance leaves none, the likeliest usable one.
 * @throws {UnknownToolset} When there is no such distribution.
 */
export function drawToolsets(name: string, draw: Draw): string[] {
	const chances = distributions.get(name);
	if (chances === undefined) {
		const nearest = nearestName(name, distributions.keys());
		const advice = nearest ? `did you mean "${nearest}"?` : `there is ${[...distributions.keys()].join(", ")}`;
		throw new UnknownToolset(`Cannot use distribution "${name}": unknown; ${advice}`);
	}
	const usable = Object.entries(chances).filter(([toolset]) => {
		const isUsable = draw.isUsable(toolset);
		if (!isUsable) draw.onSkipped?.(toolset);
		return isUsable;
	});
	const drawn = usable.filter(([, percent]) => draw.random() * 100 < percent).map(([toolset]) => toolset);
	if (drawn.length > 0) return drawn;
	const [likeliest] = usable.toSorted(([, a], [, b]) => b - a);
	return likeliest === undefined ? [] : [likeliest[0]];
}
