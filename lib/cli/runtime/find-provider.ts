/** Finds a provider by the name that the user knows it by, or the one that has a key. */

import { nearestName } from "../../base/nearest-name.ts";
import { loadPlugins } from "../../base/plugins.ts";
import { type KeyPlaces, keysOf } from "../../providers/auth/provider-keys.ts";
import type { Provider } from "../../providers/provider.ts";
import { UsageError } from "../exit-codes.ts";
import type { Cli } from "../subcommand.ts";

/**
 * The provider with this id or alias.
 * @throws {UsageError} When there is none.
 */
export async function findProvider(cli: Cli, name: string): Promise<Provider> {
	const load = Object.hasOwn(cli.plugins.providers, name) ? cli.plugins.providers[name] : undefined;
	if (load !== undefined) return (await load()).default;
	const providers = await allProviders(cli);
	const found = providers.find((provider) => provider.aliases.includes(name));
	if (found !== undefined) return found;
	const near = nearestName(
		name,
		providers.flatMap((provider) => [provider.id, ...provider.aliases]),
	);
	const advice = near === undefined ? "" : `; did you mean "${near}"?`;
	throw new UsageError(
		`Cannot use provider "${name}": unknown; there is ${providers.map(({ id }) => id).join(", ")}${advice}`,
	);
}

/** Every provider, in the order of their names. */
export async function allProviders(cli: Cli): Promise<readonly Provider[]> {
	const { loaded } = await loadPlugins(cli.plugins.providers);
	return [...loaded.values()];
}

/** Those that are asked for a key before all others, because one key of theirs reaches many models. */
const first = ["openrouter", "openai", "anthropic", "gemini"];

/** The provider that has a key, when the user has named none. */
export async function providerWithKey(cli: Cli, places: KeyPlaces): Promise<Provider | undefined> {
	const rank = ({ id }: Provider) => (first.indexOf(id) + first.length + 1) % (first.length + 1);
	const ordered = (await allProviders(cli)).toSorted((one, other) => rank(one) - rank(other));
	return ordered.find((provider) => provider.id !== "custom" && keysOf(provider, places).length > 0);
}
