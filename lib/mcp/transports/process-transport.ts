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
/** Exit codes of a server whose input we closed, or that we killed. Another one it had by itself. */
const endsOfOurs: ReadonlySet<number> = new Set([0, 128 + 9, 128 + 15]);
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
	/** The message that is being sent. */
	#writing: Promise<unknown> = Promise.resolve();
	#exitCode: number | undefined;
	/** We ended it, and not it itself. */
	#isOurWish = false;
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
		void output.then(() => this.#over());
	}

	async send(message: JSONRPCMessage): Promise<void> {
		if (this.#input === undefined || this.#closing !== undefined || this.#exitCode !== undefined) {
			throw new NotDelivered("the server has ended");
		}
		try {
			const writing = this.#input.write(new TextEncoder().encode(`${JSON.stringify(message)}\n`));
			this.#writing = attemptAsync(() => writing);
			await writing;
		} catch (cause) {
			this.#over();
			// A line without its end is no message: nobody has acted on it.
			throw new NotDelivered("the server has ended", { cause });
		}
	}

	/** Exit code and last words of a server that is gone, or the last words of one that is not. */
	complaint(): string | undefined {
		const isOurDoing = this.#isOurWish && endsOfOurs.has(this.#exitCode ?? 0);
		const code = this.#exitCode === undefined || isOurDoing ? [] : [`it ended with exit code ${this.#exitCode}`];
		const problem = this.#problem === undefined ? [] : [this.#problem];
		const words = this.#lastWords.join(" | ").slice(-keptErrorCharacters);
		const said = words === "" ? [] : [`it wrote: ${words}`];
		const all = [...problem, ...code, ...said];
		return all.length === 0 ? undefined : all.join("; ");
	}

	close(): Promise<void> {
		this.#isOurWish ||= this.#closing === undefined && this.#exitCode === undefined;
		this.#closing ??= this.#end();
		return this.#closing;
	}

	/** It has nothing more to say. */
	#over(): void {
		this.#closing ??= this.#end();
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
			// Whoever sent what never arrived hears that, and not that the connection is closed.
			await settledWithin(this.#writing, stopGraceMs);
			await new Promise((resolve) => setImmediate(resolve));
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
