/** How the loop reaches a provider, and what its answers cost where it does not say so itself. */

import type { PriceOf } from "../../agent/ask/account.ts";
import { openCatalog } from "../../providers/models/catalog.ts";
import { costMicroUsd } from "../../providers/models/cost.ts";
import type { OpenedProvider } from "./open-provider.ts";

/** What an agent is told about its provider; the model is another question. */
export function modelRoute(home: string, { id, client, baseUrl, rotateKey }: OpenedProvider) {
	return {
		client,
		providerId: id,
		priceOf: openPrices(home),
		...(baseUrl !== undefined && { baseUrl }),
		...(rotateKey !== undefined && { rotateKey }),
	};
}

/** A model that is not in the catalog has no price that is known. */
function openPrices(home: string): PriceOf {
	const catalog = openCatalog(home);
	return (usage, { providerId, model }) => {
		const { price } = catalog.facts(providerId, model);
		return price === undefined ? undefined : costMicroUsd(usage, price);
	};
}
