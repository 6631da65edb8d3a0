/** How the loop reaches a provider, and what its answers cost where it does not say so itself. */

import type { PriceOf } from "../../agent/ask/account.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { openCatalog } from "../../providers/models/catalog.ts";
import { costMicroUsd } from "../../providers/models/cost.ts";
import type { Price, Rates } from "../../providers/models/family-table.ts";
import type { Cli } from "../subcommand.ts";
import type { OpenedProvider } from "./open-provider.ts";

/** What an agent is told about its provider; the model is another question. */
export function modelRoute(cli: Cli, config: LoadedConfig, provider: OpenedProvider) {
	const { id, client, baseUrl, rotateKey } = provider;
	return {
		client,
		providerId: id,
		priceOf: openPrices(cli, config, provider),
		...(baseUrl !== undefined && { baseUrl }),
		...(rotateKey !== undefined && { rotateKey }),
	};
}

/** The price that the user names counts for the chosen model alone; one that nobody knows is unknown. */
function openPrices(cli: Cli, config: LoadedConfig, chosen: OpenedProvider): PriceOf {
	const catalog = openCatalog(cli.environment.hermesHome);
	return (usage, { providerId, model }) => {
		const known = forLongCache(config, catalog.facts(providerId, model).price);
		const isChosen = providerId === chosen.id && model === chosen.model;
		const price = (isChosen && namedPrice(config, known)) || known;
		return price === undefined ? undefined : costMicroUsd(usage, price);
	};
}

/** Anthropic's list is for parts that are kept for five minutes; an hour costs twice what a question does. */
function forLongCache(config: LoadedConfig, price: Price | undefined): Price | undefined {
	if (price?.cacheWrite === undefined || config.get("prompt_caching.cache_ttl") !== "1h") return price;
	const longer = (rates: Rates) => (rates.cacheWrite === undefined ? {} : { cacheWrite: rates.input * 2 });
	const { above } = price;
	return {
		...price,
		...longer(price),
		...(above !== undefined && { above: above.map((rates) => ({ ...rates, ...longer(rates) })) }),
	};
}

/** `model.price`; what it leaves out is as known, and reading from or writing to a cache else costs what a question does. */
function namedPrice(config: LoadedConfig, known: Price | undefined): Price | undefined {
	const named = (key: `model.price.${"input" | "output" | "cache_read" | "cache_write"}`) => {
		const { origin } = config.find(key) ?? {};
		return origin === undefined || origin.kind === "default" ? undefined : Math.round(config.get(key) * 1e6);
	};
	const input = named("model.price.input");
	const output = named("model.price.output");
	if (input === undefined && output === undefined) return undefined;
	const asked = input ?? known?.input;
	const answered = output ?? known?.output;
	if (asked === undefined || answered === undefined) return undefined;
	return {
		input: asked,
		output: answered,
		cacheRead: named("model.price.cache_read") ?? known?.cacheRead ?? asked,
		cacheWrite: named("model.price.cache_write") ?? known?.cacheWrite ?? asked,
	};
}
