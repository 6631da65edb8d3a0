/** Commands that run under a supervisor: in the background, on a terminal, or in the foreground until their time is up. */

import { untilAborted } from "../../base/abort.ts";
import { settledWithin } from "../../base/settled-within.ts";
import type { BackgroundProcess } from "../../processes/background-process.ts";
import type { ProcessDesk, Started } from "../../processes/process-desk.ts";
import { cutMiddle } from "../../registry/cut-text.ts";
import { type ToolAnswer, type ToolContext, toolError, toolResult } from "../../registry/tool.ts";
import { exitCodeNote } from "./exit-code-note.ts";
import { backgroundHint, needsPipe } from "./hints.ts";

/** The size that a terminal starts with. */
const terminalSize = { columns: 120, rows: 30 };

/** A command, and how it is to run. */
export interface SupervisedCommand {
	readonly command: string;
	/** Absolute. */
	readonly cwd: string;
	readonly pty: boolean;
	readonly notify: boolean;
	readonly patterns: readonly string[];
	/** Seconds, for the foreground. */
	readonly timeout: number;
	readonly onTimeout: "kill" | "background";
	/** Characters of output that the model gets. */
	readonly outputLimit: number;
}

const noDesk = "There are no background processes in this kind of session";

/** Starts it and comes back at once. */
export async function runInBackground(wanted: SupervisedCommand, context: ToolContext): Promise<ToolAnswer> {
	const desk = context.processes;
	if (desk === undefined) return toolError(noDesk, { output: "", exit_code: -1 });
	const { command, notify } = wanted;
	const patterns = notify ? [] : wanted.patterns;
	const started = await start(desk, { ...wanted, patterns }, context);
	if (!started.ok) return notStarted(started.why);
	const { record } = started.process;
	return toolResult({
		output: "Background process started",
		session_id: record.id,
		pid: record.pid,
		exit_code: 0,
		error: null,
		ran_on: record.ranOn,
		pty_note: ptyNote(wanted),
		hint: backgroundHint(command, notify || patterns.length > 0),
		notify_on_complete: notify || undefined,
		watch_patterns: patterns.length === 0 ? undefined : patterns,
		watch_patterns_ignored:
			notify && wanted.patterns.length > 0
				? "notify_on_complete and watch_patterns exclude each other; you are told when the process ends"
				: undefined,
	});
}

/** Waits for its end, or for the end of its time. */
export async function runSupervised(wanted: SupervisedCommand, context: ToolContext): Promise<ToolAnswer> {
	const desk = context.processes;
	if (desk === undefined) return toolError(noDesk, { output: "", exit_code: -1 });
	const before = context.cwd;
	const started = await start(desk, { ...wanted, notify: false, patterns: [], keepsState: true }, context);
	if (!started.ok) return notStarted(started.why);
	const { process } = started;
	using _live = showLive(process, context);
	const isInterrupted = await untilAborted(settledWithin(process.ended, wanted.timeout * 1000), context.signal).then(
		() => false,
		() => true,
	);
	if (process.end === undefined && !isInterrupted && wanted.onTimeout === "background") {
		return movedToBackground(desk, process, wanted);
	}
	const ended = endOf(process, isInterrupted);
	if (ended !== "exited") await process.kill("timeout");
	const output = cutMiddle(desk.text.of(process.output.range(0)).trimEnd(), wanted.outputLimit);
	const exitCode = process.end?.exitCode ?? -1;
	await desk.take(process);
	const codes = { exited: exitCode, timed_out: 124, interrupted: 130 };
	return toolResult({
		output,
		exit_code: codes[ended],
		error: errorText(ended, wanted.timeout, process),
		status: ended,
		exit_code_meaning: ended === "exited" ? exitCodeNote(wanted.command, exitCode) : undefined,
		ran_on: process.record.ranOn,
		cwd: context.cwd === before ? undefined : context.cwd,
		pty_note: ptyNote(wanted),
	});
}

type Ended = "exited" | "timed_out" | "interrupted";

function endOf({ end }: BackgroundProcess, isInterrupted: boolean): Ended {
	if (end !== undefined) return "exited";
	return isInterrupted ? "interrupted" : "timed_out";
}

function errorText(ended: Ended, timeout: number, { end }: BackgroundProcess): string | null {
	if (ended === "timed_out") return `The command was stopped after ${timeout} seconds; its output so far is in output`;
	if (ended === "interrupted") return "The user interrupted the command";
	return end?.reason === "lost" ? `The command is lost: ${end.why}` : null;
}

/** It goes on, and its end becomes a notice. */
function movedToBackground(desk: ProcessDesk, process: BackgroundProcess, wanted: SupervisedCommand): ToolAnswer {
	process.note({ notify: true, linesRead: process.output.total });
	desk.seen(process);
	const { record } = process;
	return toolResult({
		output: cutMiddle(desk.text.of(process.output.range(0)).trimEnd(), wanted.outputLimit),
		exit_code: null,
		error: null,
		status: "running",
		session_id: record.id,
		pid: record.pid,
		ran_on: record.ranOn,
		notify_on_complete: true,
		note: `The command still runs after ${wanted.timeout} seconds and went to the background; you are told when it ends. process(action=poll, wait or kill) looks after it`,
		pty_note: ptyNote(wanted),
	});
}

async function start(
	desk: ProcessDesk,
	{ command, cwd, pty, notify, patterns, keepsState }: SupervisedCommand & { readonly keepsState?: true },
	{ signal }: ToolContext,
): Promise<Started> {
	const terminal = pty && !needsPipe(command) ? { terminal: terminalSize } : {};
	return await desk.start({ command, cwd, notify, patterns, keepsState, ...terminal }, signal);
}

function notStarted(why: string): ToolAnswer {
	return toolError(`Cannot start the command: ${why}`, { output: "", exit_code: -1, status: "failed_start" });
}

function ptyNote({ command, pty }: SupervisedCommand): string | undefined {
	return pty && needsPipe(command)
		? "It reads its input to the end, which a terminal does not have: it runs without one. Use process(action=write), then process(action=close)"
		: undefined;
}

function showLive(process: BackgroundProcess, { scripts }: ToolContext): Disposable {
	const decoder = new TextDecoder();
	return process.listen((bytes) => scripts?.show?.(decoder.decode(bytes, { stream: true })));
}
