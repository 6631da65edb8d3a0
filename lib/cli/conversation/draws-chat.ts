/** Decides whether a chat draws on the terminal, or goes line by line. */

import { loadConfig } from "../../config/load.ts";
import type { Cli } from "../subcommand.ts";
import { canBeDrawnOn } from "../terminal/drawable.ts";
import type { ChatFlags } from "./flags.ts";

/**
 * Whether the terminal can be drawn on and the user wants that: `--cli` and `--tui` say it for one chat, `display.interface`
 * for all of them. Screen readers follow lines better: with ACCESSIBLE set, or TERM=dumb, nothing is drawn.
 * @throws {ConfigInvalid} When the settings cannot be read.
 */
export async function drawsChat({ cli: byLine, tui }: Pick<ChatFlags, "cli" | "tui">, cli: Cli): Promise<boolean> {
	const { variables, hermesHome: home } = cli.environment;
	if (byLine || !cli.stdinIsTerminal || !cli.stdout.isTerminal || !cli.stderr.isTerminal) return false;
	if (!canBeDrawnOn(variables.TERM)) return false;
	if (tui) return true;
	if ((variables.ACCESSIBLE ?? "") !== "") return false;
	// Only this key is read here: what is odd about the others is said when the chat opens.
	const config = await loadConfig({ home, variables, schemas: [], flags: {}, policy: cli.policy });
	return config.get("display.interface") === "tui";
}
