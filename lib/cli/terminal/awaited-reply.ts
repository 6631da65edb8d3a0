/** The terminal's answer to a question of the library: a chat that ends at once must not leave it to the shell. */

import { closeSync, constants, openSync, readSync } from "node:fs";

/** One answer that may be on its way. */
export interface AwaitedReply {
	/** The question was asked: what the process reads from now on may hold the answer. */
	asked(): void;
	/** Waits for the answer where it has not come, for a moment, and drops it with all that has been typed. The terminal must be raw. */
	swallow(): void;
}

/** As every terminal answers the question for its attributes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: replies begin with one
const reply = /\u001b\[\?[\d;]*c/;
const longestReply = 64;
/** Terminals on slow lines take some tenths of a second; those that never answer may not keep anybody for longer. */
const longestMs = 300;
const lookMs = 5;

/** Nothing is awaited yet. */
export function createAwaitedReply(): AwaitedReply {
	let isPending = false;
	let heard = "";
	const hear = (text: string | Buffer) => {
		heard = (heard + text.toString()).slice(-longestReply);
		if (reply.test(heard)) settle();
	};
	const settle = () => {
		isPending = false;
		heard = "";
		process.stdin.off("data", hear);
	};
	return {
		asked() {
			if (!isPending) process.stdin.on("data", hear);
			isPending = true;
		},
		swallow() {
			if (isPending && process.platform !== "win32") readReply();
			settle();
		},
	};
}

/** Without the event loop: the process is about to end. */
function readReply(): void {
	const terminal = openTerminal();
	if (terminal === undefined) return;
	const bytes = Buffer.alloc(4096);
	let heard = "";
	try {
		for (let left = longestMs; left > 0 && !reply.test(heard); left -= lookMs) {
			const length = readWaiting(terminal, bytes);
			if (length === 0) Bun.sleepSync(lookMs);
			heard = (heard + bytes.toString("latin1", 0, length)).slice(-longestReply);
		}
	} finally {
		closeSync(terminal);
	}
}

/** A descriptor of its own: reading from standard input would wait. */
function openTerminal(): number | undefined {
	try {
		return openSync("/dev/tty", constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
	} catch {
		// No terminal, no answer.
		return undefined;
	}
}

/** How many bytes were there. */
function readWaiting(terminal: number, bytes: Buffer): number {
	try {
		return readSync(terminal, bytes);
	} catch {
		// EAGAIN while there is nothing; EIO when the terminal has gone.
		return 0;
	}
}
