/** Messages to and from a server that is a process, wherever it runs: one line each. */

import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { attempt, attemptAsync } from "../../base/attempt.ts";
import { settledWithin } from "../../base/settled-within.ts";
import type { Running } from "../../environments/backend.ts";
import { NotDelivered } from "../failure.ts";
import { eachLine } from "./lines.ts";

/** What the messages go through. */
export interface ProcessTransportOptions {
	/** Starts the process, with an input that can be written to and standard error apart. */
	start(): Promise<Running>;
	/** Told what the process writes to standard error, line by line. */
	onErrorLine(line: string): void;
}

/** How long a server may take to end by itself once its input is closed. */
const stopGraceMs = 500;
/** Longest message, in characters; a server that sends a longer one is ended. */
const longestMessage = 100_000_000;
/** Lines of standard error beyond this length are cut. */
const longestErrorLine = 2_000;
/** Of what it wrote and was no message, for the reason of a failure. */
const keptErrorLines = 8;
const keptErrorCharacters = 600;

/** Carries messages for the SDK's client. */
export class ProcessTransport implements Transport {
	onclose?: () => void;
	onerror?: (error: Error) => void;
	onmessage?: (message: JSONRPCMessage) => void;
	readonly #options: ProcessTransportOptions;
	readonly #lastWords: string[] = [];
	#running: Running | undefined;
	#input: WritableStreamDefaultWriter<Uint8Array> | undefined;
	#closing: Promise<void> | undefined;
	#allRead: Promise<unknown> = Promise.resolve();
	#exitCode: number | undefined;
	#problem: string | undefined;

	constructor(options: ProcessTransportOptions) {
		this.#options = options;
	}

	async start(): Promise<void> {
		const running = await this.#options.start();
		if (this.#closing !== undefined) return await running.kill();
		this.#running = running;
		this.#input = running.stdin?.getWriter();
		void running.exited.then((code) => {
			this.#exitCode = code;
		});
		const output = this.#readOutput(running.output);
		this.#allRead = Promise.all([output, running.control && this.#readErrors(running.control)]);
		void output.then(() => this.close());
	}

	async send(message: JSONRPCMessage): Promise<void> {
		if (this.#input === undefined || this.#closing !== undefined || this.#exitCode !== undefined) {
			throw new NotDelivered("the server has ended");
		}
		try {
			await this.#input.write(new TextEncoder().encode(`${JSON.stringify(message)}\n`));
		} catch (cause) {
			// A line without its end is no message: nobody has acted on it.
			throw new NotDelivered("the server has ended", { cause });
		}
	}

	/** Exit code and last words of a server that is gone, or the last words of one that is not. */
	complaint(): string | undefined {
		const code = this.#exitCode === undefined ? [] : [`it ended with exit code ${this.#exitCode}`];
		const problem = this.#problem === undefined ? [] : [this.#problem];
		const words = this.#lastWords.join(" | ").slice(-keptErrorCharacters);
		const said = words === "" ? [] : [`it wrote: ${words}`];
		const all = [...problem, ...code, ...said];
		return all.length === 0 ? undefined : all.join("; ");
	}

	close(): Promise<void> {
		this.#closing ??= this.#end();
		return this.#closing;
	}

	async #end(): Promise<void> {
		const running = this.#running;
		if (running !== undefined) {
			// A good server ends with its input; a call under way may hold the stream.
			void attemptAsync(async () => this.#input?.close());
			await settledWithin(running.exited, stopGraceMs);
			// Also what a wrapper such as npx left behind.
			await attemptAsync(() => running.kill());
			// What it said last explains why it ended.
			await settledWithin(this.#allRead, stopGraceMs);
		}
		this.onclose?.();
	}

	async #readOutput(output: ReadableStream<Uint8Array>): Promise<void> {
		const read = await attemptAsync(() =>
			eachLine(output, { limit: longestMessage, cuts: false }, (line) => this.#receive(line)),
		);
		if (read.ok && !read.value) this.#problem = `it sent a message of more than ${longestMessage / 1e6} MB`;
	}

	#receive(line: string): void {
		if (line.trim() === "") return;
		const parsed = attempt((): JSONRPCMessage | JSONRPCMessage[] => JSON.parse(line));
		// The protocol of 2025-03-26 lets several messages share a line.
		if (parsed.ok) for (const message of [parsed.value].flat()) this.onmessage?.(message);
		else {
			// A usage text, or a shell that knows no such program: why it ends, more often than not.
			this.#remember(line);
			this.onerror?.(new Error(`a line of its output is no message: ${line.slice(0, 200)}`));
		}
	}

	#remember(line: string): void {
		this.#lastWords.push(line.trim().slice(0, longestErrorLine));
		if (this.#lastWords.length > keptErrorLines) this.#lastWords.shift();
	}

	async #readErrors(control: ReadableStream<Uint8Array>): Promise<void> {
		await attemptAsync(() =>
			eachLine(control, { limit: longestErrorLine, cuts: true }, (line) => {
				this.#remember(line);
				this.#options.onErrorLine(line);
			}),
		);
	}
}
