/** The provider of a conversation, which may become another one while the conversation goes on. */

import type { LoadedConfig } from "../../config/load.ts";
import type { Cli } from "../subcommand.ts";
import { type OpenedProvider, openProvider } from "./open-provider.ts";
import { openSettings } from "./settings.ts";

type Changing = { -readonly [Key in keyof OpenedProvider]: OpenedProvider[Key] };

/** A record that always says who answers now: whoever keeps it need not be told of a change. */
export interface LiveProvider {
	readonly provider: OpenedProvider;
	become(next: OpenedProvider): void;
}

/** Begins with `first`. */
export function liveProvider(first: OpenedProvider): LiveProvider {
	const provider: Changing = { ...first };
	return {
		provider,
		become(next) {
			// What the next one does not have must not stay.
			delete provider.baseUrl;
			delete provider.rotateKey;
			Object.assign(provider, next);
		},
	};
}

/**
 * Opens the provider that the user calls `named`, as it is configured, for `model`; left out, for the configured model where
 * that is the configured provider, and else for the one that it usually has.
 * @throws {UsageError} When the provider is unknown or needs a model name.
 * @throws {ProviderRefused} When a setting or its key is missing.
 */
export async function openNamedProvider(
	cli: Cli,
	{
		config,
		named,
		model,
	}: { readonly config: LoadedConfig; readonly named: string; readonly model: string | undefined },
): Promise<OpenedProvider> {
	const isConfigured = config.get("model.provider") === named;
	// What is odd about the settings was said when the conversation began.
	const quiet: Cli = { ...cli, stderr: { isTerminal: false, write() {} } };
	const settings = await openSettings(quiet, { provider: named, model: model ?? (isConfigured ? undefined : "") });
	return await openProvider(cli, { config: settings });
}
