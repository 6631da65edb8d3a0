/** Runs hermes as its users do: as a process of its own, in a home of its own. */

import { join } from "node:path";
import type { Ran } from "./run-program.ts";

const main = join(import.meta.dir, "../../main.ts");

/** How one run is started. */
export interface HermesOptions {
	/** The temporary home; HERMES_HOME is `.hermes` in it. */
	readonly home: string;
	/** Text for standard input, or a pipe that stays open; closed when left out. */
	readonly stdin?: string | "open";
	/** Variables besides PATH, HOME and HERMES_HOME. */
	readonly env?: Readonly<Record<string, string>>;
	/** The home when left out. */
	readonly cwd?: string;
	/** Another program in place of hermes, such as a shell that hermes is typed into. */
	readonly program?: readonly string[];
}

/** A run that goes on. */
export interface RunningHermes {
	readonly ended: Promise<Ran>;
	readonly pid: number;
	kill(signal: NodeJS.Signals): void;
	/** Writes to a standard input that is `open`; without text it ends the input. */
	write(text?: string): void;
	/** Standard output and error together, so far. */
	shown(): string;
	/** Resolves when standard output and error together hold `text`. */
	shows(text: string): Promise<void>;
}

/** Starts hermes from source, or the binary that HERMES_TEST_BINARY names. */
export function startHermes(args: readonly string[], options: HermesOptions): RunningHermes {
	const child = Bun.spawn([...hermesProgram(), ...args], {
		cwd: options.cwd ?? options.home,
		env: hermesEnvironment(options),
		stdin: stdinOf(options.stdin),
		stdout: "pipe",
		stderr: "pipe",
	});
	const shown = { text: "", wake: () => {} };
	const collect = async (stream: ReadableStream<Uint8Array>) => {
		const decoder = new TextDecoder();
		let text = "";
		for await (const chunk of stream) {
			const piece = decoder.decode(chunk, { stream: true });
			text += piece;
			shown.text += piece;
			shown.wake();
		}
		return text;
	};
	const collected = Promise.all([collect(child.stdout), collect(child.stderr)]);
	const ended = collected.then(async ([stdout, stderr]) => ({ stdout, stderr, exitCode: await child.exited }));
	return {
		ended,
		pid: child.pid,
		kill: (signal) => child.kill(signal),
		shown: () => shown.text,
		write(text) {
			if (typeof child.stdin === "number" || child.stdin === undefined) throw new Error("standard input is not open");
			if (text === undefined) void child.stdin.end();
			else void child.stdin.write(text);
			void child.stdin.flush();
		},
		async shows(text) {
			while (!shown.text.includes(text)) {
				const more = new Promise<"more">((resolve) => {
					shown.wake = () => resolve("more");
				});
				if ((await Promise.race([more, ended])) === "more") continue;
				if (!shown.text.includes(text)) throw new Error(`hermes ended without showing ${text}: ${shown.text}`);
			}
		},
	};
}

/** The words that start hermes. */
export function hermesProgram(): string[] {
	const binary = process.env.HERMES_TEST_BINARY;
	return binary ? [binary] : [process.execPath, "--no-env-file", main];
}

/** The variables of a run. */
export function hermesEnvironment({ home, env }: HermesOptions): Record<string, string> {
	return { PATH: process.env.PATH ?? "", HOME: home, HERMES_HOME: join(home, ".hermes"), ...env };
}

/** A run at a terminal of its own. */
export interface HermesOnTerminal extends AsyncDisposable {
	readonly pid: number;
	readonly exitCode: Promise<number>;
	/** Everything the terminal showed so far, without escape sequences. */
	shown(): string;
	/** Resolves when `text` appears behind what earlier calls have waited for. */
	shows(text: string): Promise<void>;
	type(keys: string): void;
	/** Waits for `text`, then types a line. */
	answer(text: string, line: string): Promise<void>;
}

/** Starts hermes with a pseudo terminal as its standard input, output and error: one that cannot be drawn on. */
export function startOnTerminal(args: readonly string[], options: HermesOptions): HermesOnTerminal {
	const decoder = new TextDecoder();
	let raw = "";
	let seen = 0;
	let wake = () => {};
	const child = Bun.spawn([...hermesProgram(), ...args], {
		cwd: options.cwd ?? options.home,
		env: { TERM: "dumb", ...hermesEnvironment(options) },
		terminal: {
			cols: 200,
			rows: 50,
			data(_, bytes) {
				raw += decoder.decode(bytes, { stream: true });
				wake();
			},
		},
	});
	const shown = () => Bun.stripANSI(raw).replaceAll("\r", "");
	const type = (keys: string) => void child.terminal?.write(keys);
	const shows = async (text: string) => {
		for (;;) {
			const at = shown().indexOf(text, seen);
			if (at >= 0) {
				seen = at + text.length;
				return;
			}
			const more = new Promise<void>((resolve) => {
				wake = resolve;
			});
			const ended = child.exited.then(() => Bun.sleep(100)).then(() => "ended");
			if ((await Promise.race([more, ended])) === "ended" && !shown().includes(text, seen)) {
				throw new Error(`hermes ended without showing ${text}: ${shown()}`);
			}
		}
	};
	return {
		pid: child.pid,
		exitCode: child.exited,
		shown,
		shows,
		type,
		async answer(text, line) {
			await shows(text);
			type(`${line}\r`);
		},
		async [Symbol.asyncDispose]() {
			child.kill("SIGKILL");
			await child.exited;
			child.terminal?.close();
		},
	};
}

/** Runs hermes to its end. */
export function runHermes(args: readonly string[], options: HermesOptions): Promise<Ran> {
	return startHermes(args, options).ended;
}

function stdinOf(stdin: HermesOptions["stdin"]) {
	if (stdin === undefined) return "ignore";
	return stdin === "open" ? "pipe" : new Blob([stdin]);
}
