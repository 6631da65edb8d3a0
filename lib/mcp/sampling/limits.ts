/** How much a server may ask of the model, and which one answers. */

import type { CreateMessageRequestParams } from "@modelcontextprotocol/sdk/types.js";
import { roundsIn } from "./messages.ts";
import type { SamplingSettings } from "./settings.ts";

/** The limits of one server over a run. */
export interface SamplingLimits {
	/** Counts the request; why it is refused, when it is. */
	refusal(params: CreateMessageRequestParams): string | undefined;
	spent(tokens: number): void;
	readonly tokens: number;
}

const minuteMs = 60_000;

/** `now` is in milliseconds. */
export function createLimits(settings: SamplingSettings, now: () => number = Date.now): SamplingLimits {
	let recent: number[] = [];
	let tokens = 0;
	return {
		get tokens() {
			return tokens;
		},
		spent(more) {
			tokens += more;
		},
		refusal(params) {
			const { max_rpm: most, token_budget: budget, max_tool_rounds: rounds } = settings;
			if (rounds === 0 && (params.tools?.length ?? 0) > 0) return "tools are not allowed in its requests";
			if (roundsIn(params) > rounds) return `the model has called tools ${rounds} times already`;
			if (budget > 0 && tokens >= budget) return `its ${budget} tokens of this run are used up`;
			const at = now();
			recent = recent.filter((time) => at - time < minuteMs);
			if (recent.length >= most) return `it has asked ${most} times within a minute; ask again later`;
			recent.push(at);
			return undefined;
		},
	};
}

/** The model that answers, or why none may. */
export type ChosenModel =
	| { readonly ok: true; readonly model: string }
	| { readonly ok: false; readonly reason: string };

/**
 * That of the settings; else the first that the server would like among those that are allowed by name; else `usual`. A wish
 * alone chooses none: it is the user who pays.
 */
export function chooseModel(
	{ model: set, allowed_models: allowed }: Pick<SamplingSettings, "model" | "allowed_models">,
	{ modelPreferences }: Pick<CreateMessageRequestParams, "modelPreferences">,
	usual: string,
): ChosenModel {
	const wishes = (modelPreferences?.hints ?? []).flatMap(({ name }) => (name ? [name.toLowerCase()] : []));
	const wished = wishes.flatMap((wish) => allowed.filter((name) => name.toLowerCase().includes(wish)))[0];
	const model = set ?? wished ?? usual;
	if (allowed.length === 0 || allowed.includes(model)) return { ok: true, model };
	return { ok: false, reason: `the model ${model} is not among its allowed_models` };
}
