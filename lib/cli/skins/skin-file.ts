/** What a file of a skin may hold. Apart from the rest, since a chat begins before anything is read. */

import { z } from "zod";
import { isColour, isNarrow } from "./skin.ts";

/**
 * A colour: `#rrggbb`, one of the sixteen names (`red`, `bright_red`), `default` for that of the terminal, or `none` for no look
 * at all.
 */
export const colourShape = z
	.string()
	.refine(isColour, "must be #rrggbb, a name such as cyan or bright_cyan, default or none");

/** One sign or a few, at most three columns wide: more would push the text beside it away. */
export const glyphShape = z.string().refine(isNarrow, "must be one to three columns wide, without control characters");

/** The file: a map that may hold more than is used. */
export const skinShape = z.looseObject({
	name: z.string().optional(),
	description: z.string().optional(),
	colors: z.record(z.string(), z.unknown()).default({}),
	branding: z.looseObject({ prompt_symbol: z.unknown() }).partial().default({}),
	tool_prefix: z.unknown().optional(),
});
