/** An MCP server as a child process: messages are lines, and it never outlives us. */

import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { attempt } from "../base/attempt.ts";
import { createWatchdog, type Watchdog } from "../environments/local/watchdog.ts";

/** What is started. */
export interface StdioOptions {
	readonly command: string;
	readonly args: readonly string[];
	/** The whole environment of the process. */
	readonly environment: Readonly<Record<string, string>>;
	/** Told what the process writes to standard error, line by line. */
	onErrorLine(line: string): void;
}

const stopGraceMs = 500;
/** Longest message, in characters; a server that sends a longer one is ended. */
const longestMessage = 100_000_000;
/** Lines of standard error beyond this length are cut. */
const longestErrorLine = 2_000;

type Child = Bun.Subprocess<"pipe", "pipe", "pipe">;

/** Carries messages for the SDK's client. The process leads a group of its own, which ends with it. */
export class StdioTransport implements Transport {
	onclose?: () => void;
	onerror?: (error: Error) => void;
	onmessage?: (message: JSONRPCMessage) => void;
	readonly #options: StdioOptions;
	#child: Child | undefined;
	#watchdog: Watchdog | undefined;

	constructor(options: StdioOptions) {
		this.#options = options;
	}

	async start(): Promise<void> {
		const { command, args, environment, onErrorLine } = this.#options;
		const path = environment.PATH ?? "";
		const program = Bun.which(command, { PATH: path });
		if (program === null) throw new Error(`Cannot start "${command}": it is not on the PATH (${path})`);
		const watchdog = createWatchdog(crypto.randomUUID(), path);
		watchdog.begin("1");
		const started = attempt(() =>
			Bun.spawn([program, ...args], { stdio: ["pipe", "pipe", "pipe"], env: { ...environment }, detached: true }),
		);
		if (!started.ok) {
			watchdog.close();
			throw new Error(`Cannot start "${command}": ${started.reason}`);
		}
		const child = started.value;
		watchdog.register("1", child.pid);
		this.#child = child;
		this.#watchdog = watchdog;
		void eachLine(child.stderr, { limit: longestErrorLine, cuts: true }, onErrorLine);
		void this.#read(child);
	}

	async send(message: JSONRPCMessage): Promise<void> {
		const child = this.#child;
		if (child === undefined || child.exitCode !== null) throw new Error("the server has ended");
		child.stdin.write(`${JSON.stringify(message)}\n`);
		await child.stdin.flush();
	}

	async close(): Promise<void> {
		const child = this.#child;
		if (child === undefined) return;
		this.#child = undefined;
		attempt(() => child.stdin.end());
		await Promise.race([child.exited, Bun.sleep(stopGraceMs)]);
		signalGroup(child.pid, "SIGKILL");
		await child.exited;
		this.#watchdog?.end("1");
		this.#watchdog?.close();
		this.onclose?.();
	}

	async #read(child: Child): Promise<void> {
		const isWhole = await eachLine(child.stdout, { limit: longestMessage, cuts: false }, (line) => {
			if (line.trim() === "") return;
			const parsed = attempt((): JSONRPCMessage => JSON.parse(line));
			if (parsed.ok) this.onmessage?.(parsed.value);
			else this.onerror?.(new Error(`a line is no JSON: ${line.slice(0, 200)}`));
		});
		if (!isWhole) this.onerror?.(new Error(`a message is longer than ${longestMessage} characters`));
		await this.close();
	}
}

/** What happens to a line that is too long: its rest is dropped, or reading stops. */
interface LineLimit {
	readonly limit: number;
	readonly cuts: boolean;
}

/** Calls `onLine` for each line; false when reading stopped at one that was too long. */
async function eachLine(
	stream: ReadableStream<Uint8Array>,
	{ limit, cuts }: LineLimit,
	onLine: (line: string) => void,
): Promise<boolean> {
	const decoder = new TextDecoder();
	let parts: string[] = [];
	let length = 0;
	const add = (part: string) => {
		const kept = cuts ? part.slice(0, Math.max(0, limit - length)) : part;
		if (kept !== "") parts.push(kept);
		length += kept.length;
	};
	for await (const bytes of stream) {
		const pieces = decoder.decode(bytes, { stream: true }).split("\n");
		const last = pieces.pop() ?? "";
		for (const piece of pieces) {
			add(piece);
			onLine(parts.join(""));
			parts = [];
			length = 0;
		}
		add(last);
		if (length > limit) return false;
	}
	if (length > 0) onLine(parts.join(""));
	return true;
}

function signalGroup(group: number, signal: NodeJS.Signals): void {
	// Nobody is left when the whole group has ended.
	attempt(() => process.kill(-group, signal));
}
