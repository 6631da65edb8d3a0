/** What a child spends: counted for itself, and taken from what its conversation may spend. */

import type { ChildReport } from "../../registry/delegation.ts";
import type { Spending } from "../spending.ts";

/** The parent's spending under its limits; tokens are written into `report` as they are used. */
export function countedSpending(parent: Spending, { tokens }: Pick<ChildReport, "tokens">): Spending {
	return {
		limits: parent.limits,
		get costMicroUsd() {
			return parent.costMicroUsd;
		},
		get tokens() {
			return parent.tokens;
		},
		get isComplete() {
			return parent.isComplete;
		},
		add(usage, cost) {
			tokens.input += usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
			tokens.output += usage.outputTokens;
			parent.add(usage, cost);
		},
	};
}
