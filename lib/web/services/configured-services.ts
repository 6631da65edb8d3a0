/** Which services are set up, in the order in which they are asked. */

import type { LoadedConfig } from "../../config/load.ts";
import { brave } from "./brave.ts";
import { exa } from "./exa.ts";
import { firecrawl } from "./firecrawl.ts";
import { parallel } from "./parallel.ts";
import { searxng } from "./searxng.ts";
import type { WebService } from "./service.ts";
import { tavily } from "./tavily.ts";

type Settings = Pick<LoadedConfig, "get" | "variables">;

/** Every service; without a choice of the user the first that is set up is asked first. */
const webServices: readonly WebService[] = [tavily, exa, parallel, firecrawl, searxng, brave];

/** The variables of which one has to be set, so that the web can be searched. */
export const searchVariables: readonly string[] = webServices
	.filter(({ search }) => search !== undefined)
	.flatMap(({ needs }) => needs);

/** Names that the Python original has for the same service. */
const otherNames: ReadonlyMap<string, string> = new Map([["brave-free", "brave"]]);

/** Reading pages without any service: `web.extract_backend: fetch`. */
export const ownFetch = "fetch";

/** The services for one purpose, and what is wrong with what the settings chose. */
export interface ChosenServices {
	readonly services: readonly WebService[];
	readonly problem?: string;
}

/** Services that are set up for `purpose`, the one that the settings name first. */
export function servicesFor(purpose: "search" | "extract", settings: Settings | undefined): ChosenServices {
	if (settings === undefined) return { services: [] };
	const { get, variables } = settings;
	const able = webServices.filter((service) => service[purpose] !== undefined);
	const ready = able.filter(({ needs }) => needs.some((name) => variables[name]?.trim()));
	const key = get(`web.${purpose}_backend`) ? `web.${purpose}_backend` : "web.backend";
	const written = (get(`web.${purpose}_backend`) || get("web.backend")).trim().toLowerCase();
	const wanted = otherNames.get(written) ?? written;
	if (wanted === ownFetch && purpose === "extract") return { services: [] };
	const chosen = ready.find(({ id }) => id === wanted);
	if (wanted === "" || chosen !== undefined) {
		return { services: chosen === undefined ? ready : [chosen, ...ready.filter((service) => service !== chosen)] };
	}
	// One setting for both may name a service that does only one of them.
	const known = webServices.find(({ id }) => id === wanted);
	if (known !== undefined && key === "web.backend" && known[purpose] === undefined) return { services: ready };
	return { services: ready, problem: problemOf(key, wanted, able) };
}

function problemOf(key: string, wanted: string, able: readonly WebService[]): string {
	const service = able.find(({ id }) => id === wanted);
	return service === undefined
		? `${key} is "${wanted}", which is none of ${able.map(({ id }) => id).join(", ")}`
		: `${key} is "${wanted}", and ${service.needs.join(" or ")} is not set`;
}
