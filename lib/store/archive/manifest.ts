/** The first entry of every archive: what it is one of. */

import { z } from "zod";

/** Its name among the entries. */
export const manifestName = "hermes-archive.json";

/** What an archive holds: one profile, or everything of a user with all profiles. */
export const manifestShape = z.object({
	kind: z.enum(["profile", "home"]),
	/** Raised when an older hermes could not read the archive. */
	version: z.literal(1),
	/** The profile's name; `default` for a home. */
	name: z.string(),
	/** When it was made, ISO 8601. */
	made: z.string(),
	/** Whether files with keys are in it. */
	secrets: z.boolean(),
});

/** See {@link manifestShape}. */
export type Manifest = z.output<typeof manifestShape>;

/** The archive cannot be read or must not be: nothing of it was put anywhere. The message says why. */
export class ArchiveRefused extends Error {
	override readonly name = "ArchiveRefused";
}
