/** The wire of a client that started us: a message a line on our standard input and output. */

import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage, MessageExtraInfo, RequestId } from "@modelcontextprotocol/sdk/types.js";
import { attempt } from "../../base/attempt.ts";
import { settledWithin } from "../../base/settled-within.ts";
import { readBoundedLines } from "./bounded-lines.ts";
import { longestMessage } from "./longest-message.ts";

const parseError = -32_700;
const invalidRequest = -32_600;

/** Both ends of the wire. */
export interface StdioOptions {
	readonly input: ReadableStream<Uint8Array>;
	/** Resolves when the text is on its way, or nobody is there for it; nothing else may be written there. Keeps the order. */
	write(text: string): Promise<void>;
	readonly longestMessage?: number;
}

/** A transport for the SDK's server, and when it is over. */
export interface StdioTransport extends Transport {
	/** Resolves when the client has closed its end, or the transport was closed. */
	readonly ended: Promise<void>;
}

/** Characters that a client may leave unread before no more is taken from it. */
const mostUnread = 8 * 1024 * 1024;
/** How long requests that came right before the end of the input may take to be answered: `… | hermes` then works too. */
const lastAnswersMs = 5_000;

/** Nothing is read before `start`. What cannot be read is answered as JSON-RPC wants it and stops nothing. */
export async function openStdioTransport(options: StdioOptions): Promise<StdioTransport> {
	const { JSONRPCMessageSchema } = await import("@modelcontextprotocol/sdk/types.js");
	const { input, write, longestMessage: longest = longestMessage } = options;
	const { promise: ended, resolve: end } = Promise.withResolvers<void>();
	const unanswered = new Set<RequestId>();
	let isClosed = false;
	let onAnswered = () => {};
	let unread = 0;
	let lastWritten: Promise<void> = Promise.resolve();
	const send = async (message: unknown) => {
		if (isClosed) return;
		const text = `${JSON.stringify(message)}\n`;
		unread += text.length;
		lastWritten = write(text);
		await lastWritten;
		unread -= text.length;
	};
	const refuse = (code: number, message: string) =>
		void send({ jsonrpc: "2.0", id: null, error: { code, message } }).catch(fail);
	const fail = (cause: unknown) => transport.onerror?.(cause instanceof Error ? cause : new Error(String(cause)));

	const take = (line: string) => {
		if (line.trim() === "") return;
		const read = attempt((): unknown => JSON.parse(line));
		if (!read.ok) return refuse(parseError, "Cannot read the message: it is not JSON");
		const message = JSONRPCMessageSchema.safeParse(read.value);
		if (!message.success) return refuse(invalidRequest, "Cannot use the message: it is not JSON-RPC 2.0");
		// Calls are not waited for: whoever closes the input has gone, and what runs for him ends.
		if ("method" in message.data && "id" in message.data && message.data.method !== "tools/call") {
			unanswered.add(message.data.id);
		}
		transport.onmessage?.(message.data);
	};

	const allAnswered = () => {
		const { promise, resolve } = Promise.withResolvers<void>();
		onAnswered = () => {
			if (unanswered.size === 0) resolve();
		};
		onAnswered();
		return promise;
	};

	const readAll = async () => {
		for await (const line of readBoundedLines(input, longest)) {
			if (isClosed) return;
			if (unread > mostUnread) await lastWritten;
			if (line.isTooLong) refuse(invalidRequest, `Cannot read the message: it is longer than ${longest} bytes`);
			else take(line.text);
		}
		await settledWithin(
			allAnswered().then(() => lastWritten),
			lastAnswersMs,
		);
	};

	const transport: StdioTransport & {
		onmessage?: (message: JSONRPCMessage, extra?: MessageExtraInfo) => void;
		onerror?: (error: Error) => void;
		onclose?: () => void;
	} = {
		ended,
		async start() {
			void readAll().catch(fail).finally(end);
		},
		async send(message) {
			await send(message);
			if (!("method" in message) && message.id !== undefined) unanswered.delete(message.id);
			onAnswered();
		},
		async close() {
			if (isClosed) return;
			isClosed = true;
			end();
			transport.onclose?.();
		},
	};
	return transport;
}
