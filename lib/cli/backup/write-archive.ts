/** Writes an archive of a home and says what became of it. */

import { statSync } from "node:fs";
import { basename } from "node:path";
import { isScratch } from "../../config/profiles/contents.ts";
import { packFolder } from "../../store/archive/pack.ts";
import { CommandFailed } from "../exit-codes.ts";
import type { Cli } from "../subcommand.ts";

/** An archive to write. */
export interface ArchiveOrder {
	readonly kind: "profile" | "home";
	readonly name: string;
	readonly folder: string;
	/** Absolute path of the file. */
	readonly to: string;
	readonly secrets: boolean;
	readonly json: boolean;
	/** Whether the entry of this name, directly in the folder, goes into it. */
	includes(name: string): boolean;
}

/**
 * Packs and prints how much it was.
 * @throws {CommandFailed} When there is nothing to pack, or the file would be a folder.
 */
export async function writeArchive(cli: Cli, order: ArchiveOrder): Promise<void> {
	const { kind, name, folder, to, secrets } = order;
	if (statSync(folder, { throwIfNoEntry: false }) === undefined) {
		throw new CommandFailed(`Cannot write an archive of "${folder}": there is nothing yet`);
	}
	if (statSync(to, { throwIfNoEntry: false })?.isDirectory()) {
		throw new CommandFailed(`Cannot write "${to}": it is a folder; name a file`);
	}
	const packed = await packFolder({
		folder,
		to,
		manifest: { kind, version: 1, name, made: new Date().toISOString(), secrets },
		includes: (path) => (path.includes("/") ? !isScratch(basename(path)) : order.includes(path)),
		signal: cli.interruption.signal,
	});
	for (const path of packed.leftOut) cli.stderr.write(`hermes: left out ${path}: it is a link or no plain file\n`);
	if (order.json) cli.stdout.write(`${JSON.stringify({ file: to, ...packed }, null, 2)}\n`);
	else cli.stdout.write(`Wrote ${to}: ${packed.files} files, ${statSync(to).size} bytes\n`);
	if (secrets && !order.json) cli.stdout.write("It holds your keys: keep it as you keep them\n");
}
