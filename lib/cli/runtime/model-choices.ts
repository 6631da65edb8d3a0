/** The models that a user can choose from: those of providers with a key, and of model servers that answer on this machine. */

import type { LoadedConfig } from "../../config/load.ts";
import { keysOf } from "../../providers/auth/provider-keys.ts";
import { findLocalServer, localServers } from "../../providers/local-servers.ts";
import { openCatalog } from "../../providers/models/catalog.ts";
import type { Provider } from "../../providers/provider.ts";
import type { Cli } from "../subcommand.ts";
import { allProviders, findProvider } from "./find-provider.ts";
import { askForModels } from "./live-models.ts";
import { openSettings } from "./settings.ts";

/** One model of one provider. */
export interface ModelChoice {
	readonly provider: string;
	readonly model: string;
	/** Whether it is the one that answers now. */
	readonly current: boolean;
	readonly context_tokens?: number;
	/** US dollars for a million tokens. */
	readonly input_usd?: number;
	readonly output_usd?: number;
	/** Whether it thinks before it answers, and sees images; missing when nobody knows. */
	readonly reasoning?: boolean;
	readonly images?: boolean;
}

/** What is to be listed. */
export interface ListOptions {
	/** Only this one, with or without a key. */
	readonly provider: string | undefined;
	/** Those without a key as well. */
	readonly all: boolean;
	/** Services are asked what they have; told in one line of each that does not say. Left out, nothing leaves this machine. */
	readonly onSilent?: (message: string) => void;
}

/** By provider, the provider's own order within. @throws {UsageError} When the provider is unknown. */
export async function listModels(cli: Cli, { provider, all, onSilent }: ListOptions): Promise<readonly ModelChoice[]> {
	const config = await openSettings(cli, {});
	const home = cli.environment.hermesHome;
	const catalog = openCatalog(home);
	const current = { provider: config.get("model.provider"), model: config.get("model.default") };
	const isListed = (each: Provider) =>
		all || provider !== undefined || keysOf(each, { variables: config.variables, home }).length > 0;
	const meant = provider === undefined ? await allProviders(cli) : [await findProvider(cli, provider)];
	const offered = meant.filter((each) => each.id !== "custom" && each.keyNames.length > 0 && isListed(each));
	const hosted = await Promise.all(
		offered.map(async (each) => {
			const { id, models = [] } = each;
			const live = onSilent && (await modelsNow(cli, { config, provider: each, onSilent }));
			return (live ?? [...new Set([...models, ...catalog.models(id)])]).map((model) => ({ id, model }));
		}),
	);
	const own = meant.find(({ id }) => id === "custom");
	const live = own && onSilent && (await modelsNow(cli, { config, provider: own, onSilent }));
	const custom = live?.map((model) => ({ id: "custom", model })) ?? [];
	const local = meant.some(({ id }) => id === "custom") ? await localModels(provider) : [];
	return [...custom, ...local, ...hosted.flat()].map(({ id, model }) => {
		const { contextTokens, price, reasoning, images } = catalog.facts(id, model);
		return {
			provider: id,
			model,
			current: model === current.model && (current.provider === id || current.provider === ""),
			...(contextTokens !== undefined && { context_tokens: contextTokens }),
			...(price !== undefined && { input_usd: price.input / 1e6, output_usd: price.output / 1e6 }),
			...(reasoning !== undefined && { reasoning }),
			...(images !== undefined && { images }),
		};
	});
}

/** What is worth choosing comes first, as far as it is still there; undefined when the service does not say. */
async function modelsNow(
	cli: Cli,
	{
		config,
		provider,
		onSilent,
	}: { readonly config: LoadedConfig; readonly provider: Provider; onSilent(message: string): void },
): Promise<readonly string[] | undefined> {
	const live = await askForModels(cli, config, provider);
	if (live.kind === "failed") onSilent(`${provider.id} is listed as it is known, because ${live.why}`);
	if (live.kind !== "listed") return undefined;
	const there = new Set(live.models);
	return [...new Set([...(provider.models ?? []).filter((model) => there.has(model)), ...live.models])];
}

/** Asked by the name of a server, or all of them. */
async function localModels(name: string | undefined) {
	const asked =
		name === undefined || name === "custom" || name === "local" ? localServers.map((each) => each.name) : [name];
	const found = await Promise.all(asked.map((each) => findLocalServer(each)));
	return found.flatMap((server) => server?.models.map((model) => ({ id: server.name, model })) ?? []);
}

/** For people; a sentence when there is nothing to choose. */
export function modelTable(choices: readonly ModelChoice[]): string {
	if (choices.length === 0) {
		return "No provider has a key, and no model server answers on this machine: hermes auth add PROVIDER, or hermes model --all\n";
	}
	const widths = [
		Math.max(...choices.map(({ provider }) => provider.length)) + 2,
		Math.max(...choices.map(({ model }) => model.length)) + 2,
	] as const;
	return choices
		.map((choice) =>
			`${choice.current ? "*" : " "} ${choice.provider.padEnd(widths[0])}${choice.model.padEnd(widths[1])}${factsOf(choice)}`.trimEnd(),
		)
		.map((line) => `${line}\n`)
		.join("");
}

/** `200k tokens, $3 / $15`. */
export function factsOf({ context_tokens: tokens, input_usd: input, output_usd: output }: ModelChoice): string {
	const window =
		tokens === undefined
			? []
			: [tokens >= 1e6 ? `${(tokens / 1e6).toFixed(1)}M tokens` : `${Math.round(tokens / 1000)}k tokens`];
	return [...window, ...(input === undefined ? [] : [`$${input} / $${output}`])].join(", ");
}
