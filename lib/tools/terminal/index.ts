/** The tool that runs shell commands. */

import { posix } from "node:path";
import { z } from "zod";
import type { Outcome } from "../../environments/outcome.ts";
import { cutMiddle } from "../../registry/cut-text.ts";
import { defineTool, type ToolContext, type ToolSettings, toolError, toolResult } from "../../registry/tool.ts";
import { redactOutput } from "../../security/redact-output.ts";
import { programText } from "../arguments/program-text.ts";
import { changedPlaces } from "./changed-places.ts";
import { exitCodeNote } from "./exit-code-note.ts";
import { foregroundRefusal } from "./guidance.ts";

const defaultTimeoutSeconds = 180;
const longestTimeoutSeconds = 600;
/** Characters of output that a model gets. */
const defaultOutputLimit = 50_000;
/** Bytes kept of the output: more than the model gets, because colours are taken out first. */
const keepBytes = 512 * 1024;

function descriptionFor({ usual, longest }: TimeLimits): string {
	return [
		"Run a shell command (bash) and return its output, standard error included. The folder and exported variables stay for the next call; activate a virtual environment once.",
		"For files use read_file, search_files, patch and write_file instead of cat, grep, sed and here-documents.",
		`A command returns as soon as it is done, so a long timeout costs nothing (${usual} seconds when left out, at most ${longest}). Nobody can answer questions: use flags such as -y, and no editors or pagers without pty=true.`,
		"Servers and everything that takes longer: background=true, which returns a session_id for the process tool at once. Nothing tells when such a process ends unless notify_on_complete=true (use it for work that ends) or watch_patterns says so. Check that a server is ready with a request instead of sleeping.",
	].join(" ");
}

const terminalArgs = z.object({
	command: programText("a command").describe("What to run"),
	background: z.boolean().default(false).describe("Return at once; the process tool looks after it"),
	timeout: z.int().min(1).optional().describe("Seconds before a command in the foreground is stopped"),
	on_timeout: z
		.enum(["kill", "background"])
		.default("kill")
		.describe("What happens to it then: it is killed, or goes on in the background with what it printed so far"),
	workdir: programText("a folder")
		.refine((folder) => !folder.includes("\n"), "a folder cannot hold a line end")
		.optional()
		.describe("Folder for this call only"),
	pty: z.boolean().default(false).describe("Run on a terminal, for programs that need one (use with background=true)"),
	notify_on_complete: z.boolean().default(false).describe("With background: you are told once, when it ends"),
	watch_patterns: z
		.array(z.string().min(1))
		.max(50)
		.optional()
		.describe("With background: you are told of lines that contain one of these texts; not with notify_on_complete"),
});

type TerminalArgs = z.output<typeof terminalArgs>;

/** Seconds. */
interface TimeLimits {
	readonly usual: number;
	readonly longest: number;
}

function limitsOf(settings: ToolSettings | undefined): TimeLimits {
	return {
		usual: settings?.get("terminal.timeout") ?? defaultTimeoutSeconds,
		longest: settings?.get("terminal.max_foreground_timeout") ?? longestTimeoutSeconds,
	};
}

export default defineTool({
	name: "terminal",
	toolset: "terminal",
	description: descriptionFor(limitsOf(undefined)),
	args: terminalArgs,
	refusal: { output: "", exit_code: -1 },

	describe: ({ settings }) => ({ description: descriptionFor(limitsOf(settings)) }),

	/** What is refused anyway needs nobody's consent. */
	approval: (args, context) =>
		refusalOf(args, context) === undefined
			? { kind: "command", command: args.command, cwd: folderOf(args, context) }
			: undefined,

	edits: (args, context) => changedPlaces(args.command, folderOf(args, context)),

	async run(args, context) {
		const refusal = refusalOf(args, context);
		if (refusal !== undefined) return toolError(refusal, { output: "", exit_code: -1, status: "blocked" });
		const timeout = args.timeout ?? limitsOf(context.settings).usual;
		const outputLimit = context.settings?.get("tool_output.max_bytes") ?? defaultOutputLimit;
		if (args.background || args.pty || args.on_timeout === "background") {
			const { command, pty, on_timeout: onTimeout, notify_on_complete: notify, watch_patterns: patterns = [] } = args;
			const wanted = { command, cwd: folderOf(args, context), pty, notify, patterns, timeout, onTimeout, outputLimit };
			const { runInBackground, runSupervised } = await import("./background.ts");
			return await (args.background ? runInBackground : runSupervised)(wanted, context);
		}
		const before = context.cwd;
		const outcome = await context.execute(args.command, {
			timeoutSeconds: timeout,
			limits: { keepBytes },
			...(args.workdir !== undefined && { cwd: folderOf(args, context) }),
		});
		return toolResult({
			output: outputOf(outcome, context, outputLimit),
			exit_code: outcome.exitCode,
			error: errorOf(outcome, { timeout, isUser: context.signal.aborted }),
			status: outcome.ended,
			exit_code_meaning: outcome.ended === "exited" ? exitCodeNote(args.command, outcome.exitCode) : undefined,
			ran_on: outcome.ranOn,
			cwd: outcome.cwd === before ? undefined : outcome.cwd,
			notice: [outcome.fileWarning, outcome.notice].filter((text) => text !== undefined).join(". ") || undefined,
		});
	},
});

function folderOf({ workdir }: TerminalArgs, { cwd }: ToolContext): string {
	return workdir === undefined ? cwd : posix.resolve(cwd, workdir);
}

/** Why it would not work as it is asked for. A long time limit of the user's own is fine. */
function refusalOf(args: TerminalArgs, { settings, processes }: ToolContext): string | undefined {
	if (args.background) return undefined;
	const { longest } = limitsOf(settings);
	if (args.timeout !== undefined && args.timeout > longest) {
		return `timeout: a command may take ${longest} seconds at most; start longer ones in the background with background=true and notify_on_complete=true`;
	}
	return args.on_timeout === "background" || processes === undefined ? undefined : foregroundRefusal(args.command);
}

/** Masked before it is cut: of a key that is cut in the middle, the first half could not be told from text any more. */
function outputOf({ output, truncated }: Outcome, { redact }: ToolContext, limit: number): string {
	const printed = redactOutput({ text: output, omittedBytes: truncated?.omittedBytes }, redact);
	return cutMiddle(printed.trimEnd(), limit);
}

function errorOf({ ended }: Outcome, by: { readonly timeout: number; readonly isUser: boolean }): string | null {
	if (ended === "timed_out")
		return `The command was stopped after ${by.timeout} seconds; its output so far is in output`;
	if (ended === "exited") return null;
	if (by.isUser) return "The user interrupted the command";
	return "The command was ended by a fault, not by the user: output ends with the reason. It may have done part of its work";
}
