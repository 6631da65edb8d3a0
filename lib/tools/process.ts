/** The tool that looks after processes in the background. */

import { z } from "zod";
import { untilAborted } from "../base/abort.ts";
import { settledWithin } from "../base/settled-within.ts";
import type { BackgroundProcess } from "../processes/background-process.ts";
import type { Taken } from "../processes/far/far-side.ts";
import { tailOf } from "../processes/model-text.ts";
import type { ProcessDesk } from "../processes/process-desk.ts";
import { defineTool, type ToolAnswer, type ToolContext, toolError, toolResult } from "../registry/tool.ts";

const actions = ["list", "poll", "log", "wait", "kill", "write", "submit", "close", "screen", "resize"] as const;

/** Characters of output that one answer has. */
const listed = 200;
const polled = 1_000;
const waited = 2_000;
const defaultLines = 200;
const defaultWaitSeconds = 180;

const processArgs = z.object({
	action: z.enum(actions).describe("What to do"),
	session_id: z
		.union([z.string(), z.number().transform(String)])
		.optional()
		.describe("The process, as terminal(background=true) named it; needed for everything but list"),
	data: z.string().optional().describe("Text for write and submit (submit adds the Enter key)"),
	keys: z
		.array(z.string())
		.max(1_000)
		.optional()
		.describe(
			"For write to a terminal: keys by name (<ctrl-c>, <up>, <enter>, <escape>, <f1>, <alt-x>), other text as it is",
		),
	timeout: z.int().min(1).optional().describe("Seconds that wait waits at most"),
	offset: z.int().min(0).optional().describe("First line that log shows, from 1; the last lines when left out or 0"),
	limit: z.int().min(1).optional().describe(`Lines that log shows (${defaultLines})`),
	columns: z.int().min(2).max(500).optional().describe("For resize"),
	rows: z.int().min(1).max(200).optional().describe("For resize"),
});

type ProcessArgs = z.output<typeof processArgs>;

export default defineTool({
	name: "process",
	toolset: "terminal",
	description: [
		"Look after processes that terminal(background=true) started.",
		"list: all of them; poll: how one stands and what it printed since you last looked; log: its output by lines; wait: until it ends;",
		"kill: end it with everything it started; write: give text (or keys) to its input; submit: the same and Enter; close: end its input;",
		"screen: what the terminal of a pty process shows; resize: give that terminal another size.",
	].join(" "),
	args: processArgs,

	/** What is typed into a shell is a command, whichever way it gets there. */
	approval: ({ action, data }, { cwd }) =>
		(action === "write" || action === "submit") && data !== undefined && data.trim() !== ""
			? { kind: "command", command: data, cwd }
			: undefined,

	async run(args, context) {
		const desk = context.processes;
		if (desk === undefined) return toolError("Cannot look after processes: there are none in this kind of session");
		if (args.action === "list") return toolResult({ processes: desk.list().map((one) => listedProcess(desk, one)) });
		const id = args.session_id;
		if (id === undefined) return toolError(`Cannot ${args.action}: session_id is missing`);
		const process = desk.get(id);
		if (process === undefined) {
			return toolError(`No process with ID ${id}; process(action=list) shows all`, { status: "not_found" });
		}
		return await handlers[args.action]({ process, desk, args, context });
	},
});

interface Call {
	readonly process: BackgroundProcess;
	readonly desk: ProcessDesk;
	readonly args: ProcessArgs;
	readonly context: ToolContext;
}

const handlers: Readonly<
	Record<Exclude<(typeof actions)[number], "list">, (call: Call) => ToolAnswer | Promise<ToolAnswer>>
> = {
	poll,
	log,
	wait,
	kill,
	write,
	submit: write,
	close,
	screen,
	resize,
};

function standing({ record, end }: BackgroundProcess) {
	return {
		session_id: record.id,
		status: end === undefined ? "running" : "exited",
		pid: record.pid,
		uptime_seconds: Math.round(((end?.at ?? Date.now()) - record.startedAt) / 1000),
		...(end !== undefined && {
			exit_code: end.reason === "lost" ? null : end.exitCode,
			completion_reason: end.reason,
			termination_source: end.source,
			note: end.why,
		}),
	};
}

function listedProcess(desk: ProcessDesk, process: BackgroundProcess) {
	const { record, output } = process;
	const { command, cwd, startedAt, terminal, ranOn } = record;
	return {
		...standing(process),
		command: desk.text.text(command).slice(0, listed),
		cwd,
		ran_on: ranOn,
		started_at: localTime(startedAt),
		pty: terminal !== undefined || undefined,
		output_preview: tailOf(desk.text.of(output.range(output.total - 20)), listed),
	};
}

/** As a clock on the wall shows it. */
function localTime(at: number): string {
	const date = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
	return date.toISOString().slice(0, 19);
}

/** What was printed since it was last looked at, at most `limit` characters of it. */
function unread({ process, desk }: Pick<Call, "process" | "desk">, limit: number) {
	const { output, record } = process;
	const range = output.range(record.linesRead);
	const text = desk.text.of(range);
	const shown = tailOf(text, limit);
	const dropped = range.first - Math.min(record.linesRead, range.first);
	process.note({ linesRead: output.total });
	desk.seen(process);
	return {
		output: shown,
		omitted_characters: text.length - shown.length || undefined,
		dropped_lines: dropped || undefined,
		total_lines: output.total,
	};
}

function poll(call: Call): ToolAnswer {
	const { output, ...rest } = unread(call, polled);
	return toolResult({
		...standing(call.process),
		command: call.desk.text.text(call.process.record.command).slice(0, listed),
		output_preview: output,
		...rest,
	});
}

function log({ process, desk, args }: Call): ToolAnswer {
	const { output } = process;
	const { offset = 0, limit = defaultLines } = args;
	const from = offset === 0 ? Math.max(0, output.total + (hasOpenLine(process) ? 1 : 0) - limit) : offset - 1;
	const range = output.range(from, from + limit);
	const last = range.first + range.lines.length;
	process.note({ linesRead: Math.max(process.record.linesRead, Math.min(last, output.total)) });
	desk.seen(process);
	const isOffered = last < output.total;
	return toolResult({
		session_id: process.record.id,
		status: process.end === undefined ? "running" : "exited",
		output: desk.text.of(range),
		total_lines: output.total,
		showing: `${range.lines.length} lines`,
		first_line: range.lines.length === 0 ? undefined : range.first + 1,
		next_offset: isOffered ? last + 1 : undefined,
		dropped_lines: range.first > from ? range.first - from : undefined,
	});
}

function hasOpenLine({ output }: BackgroundProcess): boolean {
	return output.range(output.total).endsOpen;
}

async function wait(call: Call): Promise<ToolAnswer> {
	const { process, args, context } = call;
	const longest = context.settings?.get("terminal.timeout") ?? defaultWaitSeconds;
	const seconds = Math.min(args.timeout ?? longest, longest);
	const isClamped = (args.timeout ?? 0) > longest;
	const timeout_note = isClamped ? `timeout was lowered from ${args.timeout} to ${longest} seconds` : undefined;
	const isInterrupted = await untilAborted(settledWithin(process.ended, seconds * 1000), context.signal).then(
		() => false,
		() => true,
	);
	const { end } = process;
	if (end !== undefined) return toolResult({ ...standing(process), ...unread(call, waited), timeout_note });
	const status = isInterrupted ? "interrupted" : "timeout";
	const note = isInterrupted ? "The user sent a new message; the process goes on" : undefined;
	return toolResult({ ...standing(process), status, note, ...unread(call, polled), timeout_note });
}

async function kill({ process, desk }: Call): Promise<ToolAnswer> {
	const killed = await process.kill();
	if (killed.is === "alive") {
		return toolError(`Cannot end the process: ${killed.pids.join(", ")} would not end`, {
			...standing(process),
			status: "running",
		});
	}
	desk.seen(process);
	const status = killed.is === "gone" ? "killed" : "already_exited";
	return toolResult({
		...standing(process),
		status,
		output_preview: tailOf(desk.text.of(process.output.range(process.output.total - 20)), polled),
	});
}

async function write({ process, args }: Call): Promise<ToolAnswer> {
	const { terminal } = process.record;
	const enter = terminal === undefined ? "\n" : "\r";
	let text = args.data ?? "";
	if (args.keys !== undefined) {
		if (terminal === undefined)
			return toolError("Cannot send keys: the process has no terminal (start it with pty=true)");
		const { typedKeys } = await import("../processes/screen/keys.ts");
		const typed = typedKeys(args.keys, process.screen?.usesApplicationKeys ?? false);
		if (!typed.ok) return toolError(`Cannot send keys: ${typed.why}`);
		text += typed.text;
	}
	if (args.action === "submit") text += enter;
	if (text === "") return toolError(`Cannot ${args.action}: data is missing`);
	const taken = await process.write(text);
	if (taken !== "taken") return toolError(refusals[taken], { ...standing(process) });
	return toolResult({ session_id: process.record.id, status: "ok", bytes_written: Buffer.byteLength(text) });
}

const refusals: Readonly<Record<Exclude<Taken, "taken">, string>> = {
	ended: "The process has ended",
	closed: "The input of the process was closed",
	not_read: "The process does not read its input: only a part of the text was taken, or none",
};

async function close({ process }: Call): Promise<ToolAnswer> {
	const taken = await process.close();
	if (taken !== "taken") return toolError(refusals[taken], { ...standing(process) });
	return toolResult({ session_id: process.record.id, status: "ok" });
}

function screen({ process, desk }: Call): ToolAnswer {
	if (process.screen === undefined)
		return toolError("There is no screen: the process has no terminal (start it with pty=true)");
	const { rows, cursor } = process.screen.show();
	const { terminal } = process.record;
	return toolResult({ ...standing(process), screen: desk.text.text(rows.join("\n").trimEnd()), cursor, ...terminal });
}

async function resize({ process, args }: Call): Promise<ToolAnswer> {
	const { columns, rows } = { ...process.record.terminal, ...definedOnly(args) };
	if (columns === undefined || rows === undefined) {
		return toolError("Cannot resize: the process has no terminal, or columns and rows are missing");
	}
	const isDone = await process.resize({ columns, rows });
	return isDone
		? toolResult({ session_id: process.record.id, status: "ok", columns, rows })
		: toolError("Cannot resize: the process has ended, or has no terminal");
}

function definedOnly({ columns, rows }: ProcessArgs) {
	return { ...(columns !== undefined && { columns }), ...(rows !== undefined && { rows }) };
}
