/** Runs what a line means, under the rules that every surface shares. */

import { type AskedByCommand, type CommandContext, type CommandOutcome, CommandRefused } from "./command.ts";
import type { Resolved } from "./command-set.ts";

/** What came of a line: it was dealt with, it has to wait for the end of the turn, or what the command wants next. */
export type AfterCommand = "done" | "waits" | "leave" | AskedByCommand;

/**
 * Runs the command that `resolved` is, or says why not. What a command throws besides `CommandRefused` is a fault of the
 * machinery and is thrown on.
 */
export async function runCommand(resolved: Resolved, context: CommandContext): Promise<AfterCommand> {
	if (resolved.kind !== "command") {
		context.say(problemOf(resolved));
		return "done";
	}
	const { command, argument } = resolved;
	if (context.turn !== undefined && command.whileBusy === "waits") return "waits";
	if (context.turn !== undefined && command.whileBusy === "refused") {
		context.say(`Cannot do /${command.name} while the model works: wait, or /stop first`);
		return "done";
	}
	return (await outcomeOf(() => command.run(context, argument), context)) ?? "done";
}

async function outcomeOf(
	run: () => CommandOutcome | Promise<CommandOutcome>,
	context: Pick<CommandContext, "say">,
): Promise<CommandOutcome> {
	try {
		return await run();
	} catch (cause) {
		if (!(cause instanceof CommandRefused)) throw cause;
		context.say(cause.message);
		return undefined;
	}
}

function problemOf(resolved: Exclude<Resolved, { kind: "command" }>): string {
	if (resolved.kind === "unknown") return `Unknown command /${resolved.word}; did you mean /${resolved.near}?`;
	return `/${resolved.word} may be ${resolved.names.map((name) => `/${name}`).join(", ")}`;
}
