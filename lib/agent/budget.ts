/** How many model calls are left: a tree, in which a sub-agent has a limit of its own and spends from its parent too. */

/** A number of model calls that gets smaller. */
export interface Budget {
	readonly limit: number;
	readonly used: number;
	/** What this budget and all above it have left. */
	readonly remaining: number;
	/** Takes one call from this budget and all above it; false, and nothing is taken, when one of them is empty. */
	spend(): boolean;
	/** Gives back one call that was spent. */
	refund(): void;
	/** A budget of at most `limit` calls that are taken from this one too. */
	child(limit: number): Budget;
}

/** A budget of `limit` model calls. */
export function createBudget(limit: number, parent?: Budget): Budget {
	let used = 0;
	const budget: Budget = {
		limit,
		get used() {
			return used;
		},
		get remaining() {
			return Math.max(0, Math.min(limit - used, parent?.remaining ?? Number.POSITIVE_INFINITY));
		},
		spend() {
			if (used >= limit || parent?.spend() === false) return false;
			used++;
			return true;
		},
		refund() {
			if (used === 0) return;
			used--;
			parent?.refund();
		},
		child: (childLimit) => createBudget(childLimit, budget),
	};
	return budget;
}
