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
}

/** A run that goes on. */
export interface RunningHermes {
	readonly ended: Promise<Ran>;
	readonly pid: number;
	kill(signal: NodeJS.Signals): void;
	/** Resolves when standard output and error together hold `text`. */
	shows(text: string): Promise<void>;
}

/** Starts hermes from source, or the binary that HERMES_TEST_BINARY names. */
export function startHermes(args: readonly string[], options: HermesOptions): RunningHermes {
	const binary = process.env.HERMES_TEST_BINARY;
	const program = binary ? [binary] : [process.execPath, "--no-env-file", main];
	const child = Bun.spawn([...program, ...args], {
		cwd: options.cwd ?? options.home,
		env: {
			PATH: process.env.PATH ?? "",
			HOME: options.home,
			HERMES_HOME: join(options.home, ".hermes"),
			...options.env,
		},
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

/** Runs hermes to its end. */
export function runHermes(args: readonly string[], options: HermesOptions): Promise<Ran> {
	return startHermes(args, options).ended;
}

function stdinOf(stdin: HermesOptions["stdin"]) {
	if (stdin === undefined) return "ignore";
	return stdin === "open" ? "pipe" : new Blob([stdin]);
}
