/** The images of a home for an agent, and which models are sent them. */

import { type Images, openImages } from "../../agent/ask/sent-images.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { imageBytes } from "../../images/image-store.ts";
import { openCatalog } from "../../providers/models/catalog.ts";
import type { Cli } from "../subcommand.ts";

/** A model of which nothing is known is sent them: one that sees none refuses, and then gets their names. */
export function sessionImages({ environment: { hermesHome } }: Cli, config: LoadedConfig): Images {
	const mode = config.get("agent.image_input_mode");
	const catalog = openCatalog(hermesHome);
	return openImages({
		read: (image) => imageBytes(hermesHome, image),
		areSeenBy({ providerId, model }) {
			if (mode !== "auto") return mode === "native";
			return catalog.facts(providerId, model).images !== false;
		},
	});
}
