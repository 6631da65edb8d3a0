/** What the settings of sub-agents come to. */

import { expect, test } from "bun:test";
import { longestTimerSeconds } from "../../lib/base/longest-timer.ts";
import { delegationLimits } from "../../lib/registry/delegation-limits.ts";

test("delegationLimits() keeps the time of a child between what it needs to begin and what a timer can wait", () => {
	const timeoutFor = (seconds: number) => delegationLimits({ get: (() => seconds) as never }).timeoutMs;
	expect([-1, 0, 5, 600, 3_000_000].map(timeoutFor)).toEqual([
		undefined,
		undefined,
		30_000,
		600_000,
		longestTimerSeconds * 1_000,
	]);
});
