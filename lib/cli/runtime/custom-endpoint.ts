/** Endpoints of the user's own, by name: `custom:NAME` of `custom_providers`. */

import { z } from "zod";
import type { LoadedConfig } from "../../config/load.ts";
import type { WireName } from "../../providers/provider.ts";
import { UsageError } from "../exit-codes.ts";

const entryShape = z.looseObject({
	name: z.string().min(1),
	base_url: z.string().min(1),
	api_key: z.string().optional(),
	key_env: z.string().optional(),
	api_mode: z.string().optional(),
	model: z.string().optional(),
});

/** What an entry says. */
export interface CustomEndpoint {
	readonly baseUrl: string;
	readonly apiKey: string | undefined;
	readonly wire: WireName | undefined;
	readonly model: string | undefined;
}

/**
 * The entry that `custom:NAME` means; undefined for any other name.
 * @throws {UsageError} When there is no such entry.
 */
export function customEndpoint(name: string, config: LoadedConfig): CustomEndpoint | undefined {
	const wanted = /^custom:(.+)$/.exec(name)?.[1];
	if (wanted === undefined) return undefined;
	const entries = config.get("custom_providers").flatMap((entry) => entryShape.safeParse(entry).data ?? []);
	const found = entries.find((entry) => entry.name === wanted);
	if (found === undefined) {
		const names = entries.map((entry) => entry.name).join(", ") || "none";
		throw new UsageError(`Cannot use provider "${name}": custom_providers has no such entry; there is ${names}`);
	}
	const variable = found.key_env === undefined ? undefined : config.variables[found.key_env];
	return {
		baseUrl: found.base_url,
		apiKey: found.api_key || variable || undefined,
		wire: wireNamed(found.api_mode ?? ""),
		model: found.model,
	};
}

const wires: Readonly<Record<string, WireName>> = {
	chat_completions: "chat-completions",
	codex_responses: "responses",
	responses: "responses",
	anthropic_messages: "anthropic-messages",
	gemini: "gemini",
};

/**
 * The wire that `api_mode` names; undefined when it names none.
 * @throws {UsageError} For a name that is not known.
 */
export function wireNamed(mode: string): WireName | undefined {
	if (mode === "" || mode === "auto") return undefined;
	const wire = Object.hasOwn(wires, mode) ? wires[mode] : undefined;
	if (wire === undefined) {
		throw new UsageError(`Cannot use the api_mode "${mode}": unknown; there is ${Object.keys(wires).join(", ")}`);
	}
	return wire;
}
