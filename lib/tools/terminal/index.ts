/** The tool that runs shell commands. */

import { posix } from "node:path";
import { z } from "zod";
import type { Outcome } from "../../environments/outcome.ts";
import { cutMiddle } from "../../registry/cut-text.ts";
import { defineTool, type ToolContext, toolResult } from "../../registry/tool.ts";
import { redactOutput } from "../../security/redact-output.ts";
import { programText } from "../arguments/program-text.ts";
import { changedPlaces } from "./changed-places.ts";
import { exitCodeNote } from "./exit-code-note.ts";

const defaultTimeoutSeconds = 180;
const longestTimeoutSeconds = 600;
/** Characters of output that a model gets. */
const outputLimit = 50_000;
/** Bytes kept of the output: more than the model gets, because colours are taken out first. */
const keepBytes = 512 * 1024;

const timeoutAdvice = `a command may take ${longestTimeoutSeconds} seconds at most; start longer ones in the background with their output in a file (nohup … > log 2>&1 &) and look at it later`;

export default defineTool({
	name: "terminal",
	toolset: "terminal",
	description: [
		"Run a shell command (bash) and return its output, standard error included. The folder and exported variables stay for the next call; activate a virtual environment once.",
		"For files use read_file, search_files, patch and write_file instead of cat, grep, sed and here-documents.",
		"A command returns as soon as it is done, so a long timeout costs nothing. Nobody can answer questions: use flags such as -y, and no editors or pagers.",
		"Servers belong in the background with their output in a file (nohup … > log 2>&1 &); check that they are ready instead of sleeping.",
	].join(" "),
	args: z.object({
		command: programText("a command").describe("What to run"),
		timeout: z
			.int()
			.min(1)
			.default(defaultTimeoutSeconds)
			.refine((seconds) => seconds <= longestTimeoutSeconds, timeoutAdvice)
			.describe(`Seconds before the command is stopped, at most ${longestTimeoutSeconds}`),
		workdir: programText("a folder")
			.refine((folder) => !folder.includes("\n"), "a folder cannot hold a line end")
			.optional()
			.describe("Folder for this call only"),
	}),
	refusal: { output: "", exit_code: -1 },

	approval: ({ command, workdir }, { cwd }) => ({
		kind: "command",
		command,
		cwd: workdir === undefined ? cwd : posix.resolve(cwd, workdir),
	}),

	edits: ({ command, workdir }, { cwd }) =>
		changedPlaces(command, workdir === undefined ? cwd : posix.resolve(cwd, workdir)),

	async run({ command, timeout, workdir }, context) {
		const before = context.cwd;
		const outcome = await context.execute(command, {
			timeoutSeconds: timeout,
			limits: { keepBytes },
			...(workdir !== undefined && { cwd: posix.resolve(before, workdir) }),
		});
		return toolResult({
			output: outputOf(outcome, context),
			exit_code: outcome.exitCode,
			error: errorOf(outcome, { timeout, isUser: context.signal.aborted }),
			status: outcome.ended,
			exit_code_meaning: outcome.ended === "exited" ? exitCodeNote(command, outcome.exitCode) : undefined,
			ran_on: outcome.ranOn,
			cwd: outcome.cwd === before ? undefined : outcome.cwd,
			notice: [outcome.fileWarning, outcome.notice].filter((text) => text !== undefined).join(". ") || undefined,
		});
	},
});

/** Masked before it is cut: of a key that is cut in the middle, the first half could not be told from text any more. */
function outputOf({ output, truncated }: Outcome, { redact }: ToolContext): string {
	const printed = redactOutput({ text: output, omittedBytes: truncated?.omittedBytes }, redact);
	return cutMiddle(printed.trimEnd(), outputLimit);
}

function errorOf({ ended }: Outcome, by: { readonly timeout: number; readonly isUser: boolean }): string | null {
	if (ended === "timed_out")
		return `The command was stopped after ${by.timeout} seconds; its output so far is in output`;
	if (ended === "exited") return null;
	if (by.isUser) return "The user interrupted the command";
	return "The command was ended by a fault, not by the user: output ends with the reason. It may have done part of its work";
}
