/** The commands that no setting and no consent lets a model run. */

import { programReason, redirectionReason } from "./hardline-rules.ts";
import type { StartingPoint } from "./shell/learn.ts";
import type { Sight } from "./shell/sight.ts";
import { NestedTooDeep } from "./shell/syntax.ts";
import { walkCommand } from "./shell/walk.ts";

/** Where the command would run; unknown parts are left out. */
export type CommandPlace = StartingPoint;

/** Characters of a command that are looked at; the kernel takes no longer argument anyway. */
const longestCommand = 1024 * 1024;

/** Why `command` must never run, in words for the model; undefined when the hard line has nothing against it. */
export function hardlineReason(command: string, place: CommandPlace = {}): string | undefined {
	return inspect(command, place, () => {});
}

/**
 * The same, and shows `visit` every program that the command may run. Commands that the hard line refuses may be shown in part.
 */
export function inspect(command: string, place: CommandPlace, visit: (sight: Sight) => void): string | undefined {
	if (command.length > longestCommand) {
		return "it is longer than 1 MB and cannot be checked; put the data into a file with write_file and run a short command";
	}
	let reason: string | undefined;
	try {
		for (const reading of readingsOf(command)) {
			walkCommand(reading, place, (sight) => {
				reason ??= reasonAgainst(sight, place);
				visit(sight);
			});
		}
	} catch (cause) {
		if (!(cause instanceof NestedTooDeep)) throw cause;
		return reason ?? "it is nested too deep to be checked; write it in a simpler way";
	}
	return reason;
}

/** Both count: the plain one is what the shell sees, the other what a look-alike wants to be. */
function readingsOf(command: string): string[] {
	const plain = command.replaceAll("\0", "");
	const looksLike = Bun.stripANSI(plain).normalize("NFKC");
	return plain === looksLike ? [plain] : [plain, looksLike];
}

function reasonAgainst(
	{ program, cwd, redirections, isElsewhere, isForkBomb }: Sight,
	{ home }: CommandPlace,
): string | undefined {
	if (isElsewhere) return undefined;
	if (isForkBomb) return "it is a fork bomb";
	for (const { operator, target } of redirections) {
		const reason = redirectionReason(operator, target, cwd);
		if (reason !== undefined) return reason;
	}
	return programReason(program, { cwd, home });
}
