/** `hermes sessions import`: sessions that `export` wrote, here or on another machine. */

import { join } from "node:path";
import { systemReason } from "../../base/system-reason.ts";
import { ensureHermesHome } from "../../config/home.ts";
import { openStore } from "../../store/database.ts";
import { type Store, StoreRefused } from "../../store/store.ts";
import { jsonFlag } from "../common-flags.ts";
import { CommandFailed, exitCodes } from "../exit-codes.ts";
import { type Cli, defineAction } from "../subcommand.ts";

interface Imported {
	imported: number;
	already_there: number;
	refused: number;
}

/** Adds what is not there yet; a session that is there stays as it is. */
export const importSessions = defineAction({
	summary: "Add sessions that were exported as jsonl",
	details: "A session whose id is there already stays as it is. - reads standard input.",
	operands: "FILE...",
	flagsAnywhere: true,
	flags: jsonFlag,

	async run({ flags: { json }, operands }, cli) {
		ensureHermesHome(cli.environment.hermesHome);
		using store = openStore(join(cli.environment.hermesHome, "state.db"));
		const count: Imported = { imported: 0, already_there: 0, refused: 0 };
		for (const file of operands) {
			let number = 0;
			for await (const line of linesOf(file, cli)) {
				number++;
				if (line.trim() === "") continue;
				const outcome = importLine(store, line);
				count[outcome]++;
				if (outcome === "refused")
					cli.stderr.write(`hermes: Cannot import line ${number} of "${file}": it is no exported session\n`);
			}
		}
		const total = count.imported + count.already_there + count.refused;
		if (json) cli.stdout.write(`${JSON.stringify(count)}\n`);
		else
			cli.stdout.write(`Imported ${count.imported} of ${total} sessions; ${count.already_there} were there already\n`);
		return count.refused > 0 ? exitCodes.failure : exitCodes.ok;
	},
});

function importLine(store: Store, line: string): keyof Imported {
	try {
		return store.importSession(JSON.parse(line)) ? "imported" : "already_there";
	} catch (cause) {
		if (cause instanceof StoreRefused) throw cause;
		return "refused";
	}
}

async function* linesOf(file: string, cli: Cli): AsyncGenerator<string> {
	if (file === "-") return yield* cli.stdinLines();
	try {
		let rest = "";
		for await (const text of Bun.file(file).stream().pipeThrough(new TextDecoderStream())) {
			const lines = (rest + text).split("\n");
			rest = lines.pop() ?? "";
			yield* lines;
		}
		yield rest;
	} catch (cause) {
		const reason = systemReason(cause);
		if (reason === undefined) throw cause;
		throw new CommandFailed(`Cannot import "${file}": ${reason}`, { cause });
	}
}
