/** Gathers what a command says: all of it as text while it comes, its two ends for afterwards. */

import { KeepEnds } from "../../base/keep-ends.ts";
import type { OutputLimits } from "../outcome.ts";

/** Kept of a command's output when nothing else is said. */
const defaultKeepBytes = 2 * 1024 * 1024;

/** Output as it goes into an outcome. */
export interface CollectedOutput {
	readonly output: string;
	readonly truncated?: { readonly omittedBytes: number };
}

/** A running collection. */
export interface OutputCollector {
	/** Settles when the stream has ended. */
	readonly ended: Promise<void>;
	/** What was kept so far. */
	collected(): CollectedOutput;
}

/** Reads `stream` to its end. */
export function collectOutput(
	stream: ReadableStream<Uint8Array>,
	options: { readonly limits?: OutputLimits | undefined; readonly onOutput?: ((text: string) => void) | undefined },
): OutputCollector {
	const ends = new KeepEnds(options.limits?.keepBytes ?? defaultKeepBytes);
	return { ended: collect(stream, ends, options.onOutput), collected: () => asOutput(ends) };
}

async function collect(
	stream: ReadableStream<Uint8Array>,
	ends: KeepEnds,
	onOutput: ((text: string) => void) | undefined,
): Promise<void> {
	const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
	for await (const chunk of stream) {
		ends.push(chunk);
		const text = onOutput === undefined ? "" : decoder.decode(chunk, { stream: true });
		if (text !== "") onOutput?.(text);
	}
	const rest = decoder.decode();
	if (rest !== "") onOutput?.(rest);
}

function asOutput(ends: KeepEnds): CollectedOutput {
	const { head, tail, omittedBytes } = ends.kept();
	const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
	if (omittedBytes === 0) return { output: decoder.decode(head, { stream: true }) + decoder.decode(tail) };
	const truncated = { omittedBytes };
	if (head.length + tail.length === 0) return { output: "", truncated };
	// A cut goes through the middle of a character as likely as not; half of one is no output of the command.
	const start = decoder.decode(head, { stream: true });
	const end = new TextDecoder("utf-8", { ignoreBOM: true }).decode(tail.subarray(firstCharacter(tail)));
	return { output: `${start}\n\n[${omittedBytes} bytes omitted]\n\n${end}`, truncated };
}

/** Where the first whole character begins: after at most three continuation bytes. */
function firstCharacter(bytes: Uint8Array): number {
	const at = bytes.subarray(0, 4).findIndex((byte) => (byte & 0xc0) !== 0x80);
	return Math.max(at, 0);
}
