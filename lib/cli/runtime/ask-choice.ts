/** Asks the person at the terminal a question of the model. */

import type { UserChoice } from "../../registry/agent-state.ts";
import { visible } from "./paint.ts";
import type { TerminalLines } from "./terminal-lines.ts";

/** A number picks a choice, any other text is the answer itself; an empty line, or no line in time, is none. */
export async function askChoice(
	{ question, choices, signal }: UserChoice,
	terminal: TerminalLines,
	limitSeconds: number,
): Promise<string | undefined> {
	const list = choices.map((choice, at) => `  ${at + 1}) ${visible(choice)}\n`).join("");
	const hint = choices.length === 0 ? "  > " : `  [1-${choices.length}, or another answer]: `;
	const limit = limitSeconds === 0 ? [] : [AbortSignal.timeout(limitSeconds * 1000)];
	const line = await terminal.ask(`? ${visible(question)}\n${list}${hint}`, {
		signal: AbortSignal.any([signal, ...limit]),
		fresh: true,
	});
	const answer = line?.trim() ?? "";
	if (answer === "") return undefined;
	return /^\d+$/.test(answer) ? (choices[Number(answer) - 1] ?? answer) : answer;
}
