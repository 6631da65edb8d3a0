/** The verdict on a command, as it is printed. */

import { resolve } from "node:path";
import type { LoadedConfig } from "../../config/load.ts";
import { judgeRequest } from "../../security/approval/judge-request.ts";
import { describeDangers } from "../../security/approval/texts.ts";
import type { Category } from "../../security/commands/categories.ts";
import { placeIsolation } from "../runtime/approver-parts.ts";
import type { Cli } from "../subcommand.ts";

/** What would become of a command. */
export interface JudgedCommand {
	readonly verdict: "allow" | "ask" | "deny";
	/** One for each danger that needs a consent of its own. */
	readonly categories: readonly Category[];
	readonly why: string;
}

/** `cwd` as the user typed it. What was agreed to before, and kinds of danger that are trusted, change nothing about it. */
export async function judgedCommand(
	cli: Cli,
	config: LoadedConfig,
	{ command, cwd }: { readonly command: string; readonly cwd: string | undefined },
): Promise<JudgedCommand> {
	const { home, hermesHome } = cli.environment;
	const backend = config.get("terminal.backend");
	const isLocal = backend === "local";
	const folder = isLocal ? resolve(cwd ?? ".") : cwd;
	const { hardline, dangers } = judgeRequest(
		{ kind: "command", command, ...(folder !== undefined && { cwd: folder }) },
		{ isolation: await placeIsolation(cli, config, backend), ...(isLocal && { home, hermesHome }) },
	);
	const categories = dangers.map(({ category }) => category);
	if (hardline !== undefined) return { verdict: "deny", categories, why: hardline };
	if (categories.length === 0) return { verdict: "allow", categories, why: "nothing dangerous was found in it" };
	return { verdict: "ask", categories, why: `it ${describeDangers(dangers)}` };
}
