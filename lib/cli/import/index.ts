/** `hermes import`: brings back what `hermes backup` wrote. */

import { existsSync, mkdirSync, readdirSync, realpathSync, renameSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { z } from "zod";
import { profileHome, profileNames, profileRoot } from "../../config/profiles/folders.ts";
import { exitCodes } from "../exit-codes.ts";
import { refuseInUse } from "../profile/in-use.ts";
import { isAgreed } from "../runtime/agreed.ts";
import { defineAction } from "../subcommand.ts";

/** What was there is kept beside it, whole. */
export default defineAction({
	summary: "Bring back a file that hermes backup wrote, in the place of what is here",
	details: "What is in HERMES_HOME is not lost: it is kept beside it as HERMES_HOME.before-import-DATE.",
	operands: "FILE",
	needsNoProfile: true,
	flags: z.object({ yes: z.boolean().default(false).meta({ short: "y", description: "Do not ask" }) }),

	async run({ flags, operands: [file = ""] }, cli) {
		const [{ unpackInto, readManifest }, { ArchiveRefused }] = await Promise.all([
			import("../../store/archive/unpack.ts"),
			import("../../store/archive/manifest.ts"),
		]);
		const [archive, root] = [resolve(file), realRoot(profileRoot(cli.environment.hermesHome))];
		const { kind, made } = await readManifest(archive);
		if (kind !== "home")
			throw new ArchiveRefused(`Cannot use "${archive}": it is one profile; see hermes profile import`);
		for (const name of profileNames(root)) refuseInUse(profileHome(root, name), name, "replace");
		const isThere = existsSync(root) && readdirSync(root).length > 0;
		if (
			isThere &&
			!(await isAgreed(cli, `Put the backup of ${made} in the place of ${root}?`, { ...flags, verb: "replace" }))
		) {
			cli.stderr.write("Nothing was changed\n");
			return exitCodes.failure;
		}
		const stamp = Date.now();
		const unfinished = `${root}.new-${stamp}`;
		try {
			mkdirSync(unfinished, { recursive: true, mode: 0o700 });
			await unpackInto(unfinished, archive, { signal: cli.interruption.signal });
			const kept = isThere ? `${root}.before-import-${stamp}` : undefined;
			if (kept !== undefined) renameSync(root, kept);
			else rmSync(root, { recursive: true, force: true });
			putInPlace(unfinished, { root, kept });
			cli.stdout.write(`Brought back the backup of ${made}\n`);
			if (kept !== undefined) cli.stdout.write(`What was here is in ${kept}\n`);
		} catch (error) {
			rmSync(unfinished, { recursive: true, force: true });
			throw error;
		}
		return exitCodes.ok;
	},
});

/** A home that is a link stays one: what it leads to is replaced, on the disk where that is. */
function realRoot(root: string): string {
	return existsSync(root) ? realpathSync(root) : root;
}

/** Without it the user would have no home at all when the last step fails. */
function putInPlace(
	unfinished: string,
	{ root, kept }: { readonly root: string; readonly kept: string | undefined },
): void {
	try {
		renameSync(unfinished, root);
	} catch (cause) {
		if (kept !== undefined) renameSync(kept, root);
		throw cause;
	}
}
