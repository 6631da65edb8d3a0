/** What the program says about itself: entries to agent.log, and the urgent ones to errors.log too. */

import { join } from "node:path";
import { formatEntry, isAtLeast, type Level } from "./line.ts";
import { openRotatingFile, type RotatingFile } from "./rotating-file.ts";

/** Writes entries. It never throws: a log that cannot be written stops nobody's work. */
export interface Logger {
	debug(message: string, error?: unknown): void;
	info(message: string, error?: unknown): void;
	warning(message: string, error?: unknown): void;
	error(message: string, error?: unknown): void;
	critical(message: string, error?: unknown): void;
	/** The same log under another name. */
	named(name: string): Logger;
	/** The same log for one session: its id stands on every line. */
	inSession(sessionId: string): Logger;
}

/** A logger that owns its files. */
export interface RootLogger extends Logger, Disposable {
	/** Writes what is waiting. Entries wait until the current tick of the event loop ends. */
	flush(): void;
}

/** Where the entries go and which. */
export interface LoggerOptions {
	/** HERMES_HOME; the files are in its `logs` folder, which the first entry creates. */
	readonly home: string;
	/** Takes secrets out of messages and stacks. */
	readonly redact: (text: string) => string;
	/** Least level of agent.log; INFO unless said otherwise. */
	readonly level?: Level;
	/** Of agent.log: 5 MB and 3 rotated files unless said otherwise. */
	readonly maxBytes?: number;
	readonly backups?: number;
	/** Told once, when the log cannot be written. */
	readonly onFailure?: (reason: string) => void;
	readonly now?: () => Date;
}

const megabyte = 1024 * 1024;

/** The folder of the logs of `home`. */
export function logFolder(home: string): string {
	return join(home, "logs");
}

/** Opens the log of `home`. No file is touched before the first entry. */
export function createLogger(options: LoggerOptions): RootLogger {
	const { home, redact, level: least = "INFO", now = () => new Date() } = options;
	const folder = logFolder(home);
	const agent = openRotatingFile({
		path: join(folder, "agent.log"),
		maxBytes: options.maxBytes ?? 5 * megabyte,
		backups: options.backups ?? 3,
	});
	const errors = openRotatingFile({ path: join(folder, "errors.log"), maxBytes: 2 * megabyte, backups: 2 });
	const queue = new Queue([agent, errors], options.onFailure);
	const write: Write = (level, origin, said) => {
		const urgent = isAtLeast(level, "WARNING");
		const wanted = isAtLeast(level, least);
		if (!wanted && !urgent) return;
		const line = formatEntry({ ...origin, time: now(), level, message: redact(textOf(said.message, said.error)) });
		if (wanted) queue.add(agent, line);
		if (urgent) queue.add(errors, line);
	};
	return {
		...speaker(write, { name: "hermes", sessionId: undefined }),
		flush: () => queue.flush(),
		[Symbol.dispose]: () => queue.close(),
	};
}

/** A log that goes nowhere. */
export const silentLogger: Logger = speaker(() => {}, { name: "hermes", sessionId: undefined });

interface Speaker {
	readonly name: string;
	readonly sessionId: string | undefined;
}

type Write = (level: Level, origin: Speaker, said: { readonly message: string; readonly error: unknown }) => void;

function speaker(write: Write, origin: Speaker): Logger {
	const at = (level: Level) => (message: string, error?: unknown) => write(level, origin, { message, error });
	return {
		debug: at("DEBUG"),
		info: at("INFO"),
		warning: at("WARNING"),
		error: at("ERROR"),
		critical: at("CRITICAL"),
		named: (name) => speaker(write, { ...origin, name }),
		inSession: (sessionId) => speaker(write, { ...origin, sessionId }),
	};
}

/** The message, and the error with its stack and what caused it. */
function textOf(message: string, error: unknown): string {
	if (error === undefined) return message;
	return `${message}\n${describe(error, 0)}`;
}

const deepestCause = 5;

function describe(error: unknown, depth: number): string {
	if (!(error instanceof Error)) return String(error);
	const stack = error.stack?.includes(error.message)
		? error.stack
		: `${error.name}: ${error.message}\n${error.stack ?? ""}`;
	if (error.cause === undefined || depth === deepestCause) return stack.trimEnd();
	return `${stack.trimEnd()}\ncaused by ${describe(error.cause, depth + 1)}`;
}

/** Entries of one tick go out in one write per file. */
class Queue {
	readonly #waiting = new Map<RotatingFile, string>();
	readonly #files: readonly RotatingFile[];
	readonly #onFailure: ((reason: string) => void) | undefined;
	#scheduled: NodeJS.Immediate | undefined;
	#hasFailed = false;
	readonly #atExit = () => this.flush();

	constructor(files: readonly RotatingFile[], onFailure: ((reason: string) => void) | undefined) {
		this.#files = files;
		this.#onFailure = onFailure;
	}

	add(file: RotatingFile, line: string): void {
		this.#waiting.set(file, (this.#waiting.get(file) ?? "") + line);
		if (this.#scheduled !== undefined) return;
		// process.exit() skips the tick.
		process.once("exit", this.#atExit);
		this.#scheduled = setImmediate(() => this.flush());
	}

	flush(): void {
		if (this.#scheduled !== undefined) clearImmediate(this.#scheduled);
		this.#scheduled = undefined;
		process.off("exit", this.#atExit);
		const waiting = [...this.#waiting];
		this.#waiting.clear();
		for (const [file, text] of waiting) this.#append(file, text);
	}

	close(): void {
		this.flush();
		for (const file of this.#files) file[Symbol.dispose]();
	}

	#append(file: RotatingFile, text: string): void {
		try {
			file.append(text);
		} catch (error) {
			if (!this.#hasFailed) this.#onFailure?.(error instanceof Error ? error.message : String(error));
			this.#hasFailed = true;
		}
	}
}
