/** One program in a managed sandbox: how it is started, and what its files there are. */

import { quoteWord } from "../../base/shell-quoting.ts";
import type { StartOptions } from "../backend.ts";
import { BackendUnavailable } from "../backend.ts";
import { callMark, runMark } from "../call-marks.ts";
import { environmentText } from "../environment-text.ts";
import { markedLines } from "./answer.ts";
import type { ExecPlace } from "./execs.ts";
import { bringScript, commandLine, launchScript, type SandboxTools } from "./scripts.ts";
import { runStep, stepMs } from "./steps.ts";

/** A sandbox that was looked at. */
export interface GreetedPlace extends ExecPlace {
	/** Names this run in the environment of what it starts. */
	readonly run: string;
	/** A 0700 folder of ours there. */
	readonly folder: string;
	readonly tools: SandboxTools;
	/** Names of variables that every process there gets. */
	readonly inherited: readonly string[];
	/** Names the next program. */
	nextCall(): string;
	/** Folders of programs that are over, to be removed when something is started. */
	readonly leftOver: Set<string>;
}

/** A program that is to run. */
export interface Program {
	readonly mark: string;
	readonly call: string;
	readonly folder: string;
	readonly argv: readonly string[];
	readonly options: StartOptions;
}

/** Input up to this goes along with the start; more is brought before, in pieces of this size. */
export const pieceBytes = 512 * 1024;

/** How long a start waits in the sandbox for something to tell. */
const launchWaitMs = 5_000;

/** Names a program that is to run. */
export function planProgram(place: GreetedPlace, argv: readonly string[], options: StartOptions): Program {
	const call = place.nextCall();
	return { mark: `hermes-${crypto.randomUUID()}`, call, folder: `${place.folder}/${call}`, argv, options };
}

/** The command that starts it once, however often it runs, and tells what it says first. */
export interface LaunchCommand {
	readonly command: string;
	readonly stdinData: string;
	readonly timeoutMs: number;
}

/**
 * Brings what is too long to go along, and gives the command.
 * @throws {BackendUnavailable}
 */
export async function prepareLaunch(place: GreetedPlace, program: Program, limitBytes: number): Promise<LaunchCommand> {
	const { mark, folder, options } = program;
	const run = Buffer.from(runText(place, program));
	const input = options.stdin instanceof Uint8Array ? options.stdin : new Uint8Array();
	const pieces = input.length > pieceBytes ? await bringPieces(place, program, input) : 0;
	const along = pieces === 0 ? Buffer.concat([run, input]) : run;
	const removed = [...place.leftOver];
	for (const name of removed) place.leftOver.delete(name);
	const words = [
		mark,
		folder,
		run.length,
		deadlineOf(options),
		options.control ? "apart" : "merged",
		inputWord(options, pieces),
		limitBytes,
	];
	return {
		command: commandLine(launchScript(place.tools), [...words, launchWaitMs, ...removed].map(String)),
		stdinData: along.toString("base64"),
		timeoutMs: launchWaitMs + stepMs,
	};
}

function deadlineOf({ deadlineSeconds = 0 }: StartOptions): number {
	return Math.ceil(deadlineSeconds);
}

function inputWord({ stdin }: StartOptions, pieces: number): string {
	if (stdin === "pipe" || stdin === "none") return stdin;
	return pieces > 0 ? String(pieces) : "along";
}

/** How many pieces there are now. One after the other: a service that is throttled is not helped by more at once. */
async function bringPieces(place: GreetedPlace, program: Program, input: Uint8Array): Promise<number> {
	const count = Math.ceil(input.length / pieceBytes);
	for (let index = 0; index < count; index++) {
		const content = input.subarray(index * pieceBytes, (index + 1) * pieceBytes);
		const file = `${program.folder}.in.${index}`;
		const piece = { mark: program.mark, file, content, makes: place.folder, signal: program.options.signal };
		if ((await bringPiece(place, piece)) === "gone")
			throw new BackendUnavailable(`Cannot bring input to ${place.sandboxId}: its files cannot be written there`);
	}
	return count;
}

/** A part of an input, as a file there. */
export interface Piece {
	readonly mark: string;
	readonly file: string;
	readonly content: Uint8Array;
	/** The folder to make when it is not there; empty for none. */
	readonly makes: string;
	readonly signal: AbortSignal;
}

/** Writes it. `gone`: there is no folder for it. @throws {BackendUnavailable} */
export async function bringPiece(place: ExecPlace, piece: Piece): Promise<"kept" | "gone"> {
	const { mark, file, content, makes, signal } = piece;
	const words = [mark, file, String(content.length), makes];
	const { output } = await runStep(place, {
		command: commandLine(bringScript, words),
		stdinData: Buffer.from(content).toString("base64"),
		timeoutMs: stepMs,
		signal,
	});
	const said = markedLines(output, mark);
	return said.includes("kept") ? "kept" : "gone";
}

/** The file that becomes the program: its folder first, since that sets OLDPWD, which a session has its own idea of. */
function runText(place: GreetedPlace, { call, argv, options }: Program): string {
	const gone = `{ printf 'Cannot start "%s": its folder is gone\\n' ${quoteWord(argv[0] ?? "")}; exit 127; }`;
	const environment = environmentText(options.env, place.inherited) || "unset OLDPWD\n";
	const marks = `export ${runMark}=${place.run} ${callMark}=${call}\n`;
	// A group is named by the first of it, which is whoever ends it in time.
	const leader = place.tools.hasTimeout && deadlineOf(options) > 0 ? "$PPID" : "$$";
	const begin = `umask "$1"; echo ${leader} >pid; shift\n`;
	return `${begin}cd -- ${quoteWord(options.cwd)} 2>/dev/null || ${gone}\n${environment}${marks}exec ${argv.map(quoteWord).join(" ")}\n`;
}
