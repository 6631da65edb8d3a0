/** The prices by which the loop counts what a call cost, where the provider does not say so itself. */

import type { PriceOf } from "../../agent/ask/account.ts";
import { openCatalog } from "../../providers/models/catalog.ts";
import { costMicroUsd } from "../../providers/models/cost.ts";

/** A model that is not in the catalog has no price that is known. */
export function openPrices(home: string): PriceOf {
	const catalog = openCatalog(home);
	return (usage, { providerId, model }) => {
		const { price } = catalog.facts(providerId, model);
		return price === undefined ? undefined : costMicroUsd(usage, price);
	};
}
