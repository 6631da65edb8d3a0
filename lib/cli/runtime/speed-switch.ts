/** Whether faster answers of the same model are asked for, which the user may change while a conversation goes on. */

import type { LoadedConfig } from "../../config/load.ts";
import { type FastRoute, fastFields } from "../../providers/fast-mode.ts";
import type { ModelClient } from "../../providers/provider.ts";
import type { OpenedProvider } from "./open-provider.ts";

/** The speed of one conversation, as it is now. */
export interface SpeedSwitch {
	readonly isFast: boolean;
	/** Why the provider that answers now has nothing faster; undefined when it has. */
	readonly refusal: string | undefined;
	/** From the next call of the model on. */
	set(isFast: boolean): void;
}

/** The switch, and what has providers follow it. */
export interface OpenedSpeed extends SpeedSwitch {
	/** `opened`, which asks as the switch says. */
	asking(opened: OpenedProvider): OpenedProvider;
}

/** Begins as `agent.service_tier` says; `answering` is who answers now. Where nothing faster is offered nothing is asked for. */
export function openSpeed(config: LoadedConfig, answering: () => FastRoute): OpenedSpeed {
	const tier = config.get("agent.service_tier");
	let isFast = tier === "fast" || tier === "priority";
	return {
		get isFast() {
			return isFast;
		},
		get refusal() {
			const route = answering();
			return fastFields(route) === undefined ? `${route.id} does not offer them for ${route.model}` : undefined;
		},
		set(wanted) {
			isFast = wanted;
		},
		asking(opened) {
			const complete: ModelClient["complete"] = (request, signal) => {
				const fields = isFast ? fastFields({ ...opened, model: request.model }) : undefined;
				const asked = fields === undefined ? request : { ...request, extraBody: { ...fields, ...request.extraBody } };
				return opened.client.complete(asked, signal);
			};
			return { ...opened, client: { ...opened.client, complete } };
		},
	};
}
