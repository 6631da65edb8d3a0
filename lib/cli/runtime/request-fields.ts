/** Fields that the settings add to every request to a provider, in the words of its service. */

import { z } from "zod";
import type { LoadedConfig } from "../../config/load.ts";
import type { ModelClient, Provider } from "../../providers/provider.ts";

const settingsShape = z.looseObject({ extra_body: z.record(z.string(), z.unknown()).optional() });

/** The service that chooses among hosts of a model, as `provider_routing` tells it. */
const router = "openrouter";

/** `client` with what `providers.NAME.extra_body` and `provider_routing` say for `provider`; a request's own fields come last. */
export function withConfiguredFields(client: ModelClient, provider: Provider, config: LoadedConfig): ModelClient {
	const fields = fieldsOf(provider, config);
	if (Object.keys(fields).length === 0) return client;
	return {
		complete: (request, signal) =>
			client.complete({ ...request, extraBody: { ...fields, ...request.extraBody } }, signal),
	};
}

function fieldsOf({ id, aliases }: Provider, config: LoadedConfig): Readonly<Record<string, unknown>> {
	const all = config.get("providers");
	const named = [id, ...aliases].filter((name) => Object.hasOwn(all, name));
	const bodies = named.map((name) => settingsShape.safeParse(all[name]).data?.extra_body ?? {});
	const routing = config.get("provider_routing");
	const isRouted = id === router && Object.keys(routing).length > 0;
	return Object.assign({}, ...(isRouted ? [{ provider: routing }] : []), ...bodies);
}
