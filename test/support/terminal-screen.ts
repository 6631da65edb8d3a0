/** hermes on a terminal that is drawn on: a real pseudo terminal, and a model of what its screen then shows. */

import { Terminal } from "@xterm/headless";
import { freshBinary } from "./built-binary.ts";
import { type HermesOptions, hermesEnvironment, hermesProgram } from "./run-hermes.ts";

/** How large the terminal is. */
export interface TerminalSize {
	readonly columns?: number;
	readonly rows?: number;
}

/** A run whose screen can be looked at. */
export interface HermesOnScreen extends AsyncDisposable {
	readonly exitCode: Promise<number>;
	readonly pid: number;
	/** Lines of the screen, without spaces at their ends and without empty lines below the last one. */
	screen(): string;
	/** The same with everything that has scrolled away. */
	everything(): string;
	/** Bytes that the program has written so far. */
	readonly written: number;
	/** All that the program has written, as it is. */
	raw(): string;
	type(keys: string): void;
	resize(columns: number, rows: number): void;
	/** Ends the terminal, as closing its window does. */
	hangUp(): void;
	/** Resolves when the screen holds `text`, or fits. */
	shows(wanted: string | RegExp): Promise<void>;
	/** Resolves when `holds` is true of what `screen` gives; looks again whenever something is written. */
	until(holds: (screen: string) => boolean): Promise<void>;
	/** Resolves when `text` has gone from the screen. */
	hides(text: string): Promise<void>;
}

/** Keys by name, as terminals send them. */
export const keys = {
	enter: "\r",
	tab: "\t",
	up: "\u001b[A",
	down: "\u001b[B",
	escape: "\u001b",
	ctrlC: "\u0003",
	ctrlD: "\u0004",
	ctrlJ: "\n",
	backspace: "\u007f",
	paste: (text: string) => `\u001b[200~${text}\u001b[201~`,
} as const;

/** The executable where it has just been built, as it has been when everything is checked; else the sources. */
function usualProgram(): readonly string[] {
	const fresh = process.env.HERMES_TEST_BINARY === undefined ? freshBinary() : undefined;
	return fresh === undefined ? hermesProgram() : [fresh];
}

/** Starts hermes with a terminal of 80 by 24, or of the size that is wanted. */
export function startOnScreen(
	args: readonly string[],
	{ columns = 80, rows = 24, ...options }: HermesOptions & TerminalSize,
): HermesOnScreen {
	const model = new Terminal({ cols: columns, rows, scrollback: 50_000, allowProposedApi: true });
	let written = 0;
	const parts: string[] = [];
	const decoder = new TextDecoder();
	let wake = () => {};
	const drained = Promise.withResolvers<void>();
	const child = Bun.spawn([...(options.program ?? usualProgram()), ...args], {
		cwd: options.cwd ?? options.home,
		env: { TERM: "xterm-256color", ...hermesEnvironment(options) },
		terminal: {
			cols: columns,
			rows,
			data(_, bytes) {
				written += bytes.length;
				parts.push(decoder.decode(bytes, { stream: true }));
				model.write(bytes, () => wake());
			},
			exit: () => drained.resolve(),
		},
	});
	model.onData((answer) => void child.terminal?.write(answer));
	let ended = false;
	const exitCode = (async () => {
		const code = await child.exited;
		// What it wrote last is still on its way. A process that it left behind may keep the terminal open.
		await Promise.race([drained.promise, Bun.sleep(1_000)]);
		await new Promise<void>((resolve) => model.write("", resolve));
		ended = true;
		wake();
		return code;
	})();

	const linesFrom = (first: number) => {
		const buffer = model.buffer.active;
		const lines = Array.from({ length: buffer.length - first }, (_, at) => buffer.getLine(first + at));
		return lines
			.map((line) => line?.translateToString(true) ?? "")
			.join("\n")
			.trimEnd();
	};
	const screen = () => linesFrom(model.buffer.active.baseY);
	const until = async (holds: (screen: string) => boolean) => {
		while (!holds(screen())) {
			if (ended) throw new Error(`hermes ended before its screen was right:\n${linesFrom(0)}`);
			await new Promise<void>((resolve) => {
				wake = resolve;
			});
		}
	};
	return {
		exitCode,
		pid: child.pid,
		screen,
		everything: () => linesFrom(0),
		get written() {
			return written;
		},
		raw: () => parts.join(""),
		type: (keys) => void child.terminal?.write(keys),
		resize(columns, rows) {
			model.resize(columns, rows);
			child.terminal?.resize(columns, rows);
		},
		hangUp: () => child.terminal?.close(),
		shows: (wanted) => until((text) => (typeof wanted === "string" ? text.includes(wanted) : wanted.test(text))),
		hides: (text) => until((shown) => !shown.includes(text)),
		until,
		async [Symbol.asyncDispose]() {
			child.kill("SIGKILL");
			await child.exited;
			child.terminal?.close();
			model.dispose();
		},
	};
}
