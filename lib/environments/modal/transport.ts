/** Runs lines in a Modal sandbox: each is an exec of its own, whose streams come over the sandbox's command router. */

import type { ContainerProcess, Sandbox } from "modal";
import { settledWithin } from "../../base/settled-within.ts";
import { BackendUnavailable } from "../backend.ts";
import type { LineRequest, RemoteLine, Transport } from "../ssh/transport.ts";

/** A sandbox, as far as running lines in it goes. */
export interface ModalPlace {
	/** As the user knows it: `modal:sb-…`. */
	readonly name: string;
	/**
	 * What `use` gives with the handle of the sandbox. A handle holds tokens that it may be wrong about (clocks that differ):
	 * what is refused is tried once more with a new one.
	 */
	withHandle<T>(use: (sandbox: Sandbox) => Promise<T>): Promise<T>;
	/** Settles with the reason when the sandbox has ended. Never rejects. */
	readonly ended: Promise<string>;
	/** What a failure means to a user. */
	explain(cause: unknown): string;
}

/** Modal takes 64 KB of arguments in all; beside the line stand `/bin/sh -c`. */
const longestLine = 60_000;

/** Modal buffers 2 MB of input for a process. */
const longestWrite = 1024 * 1024;

/** An exec that is not accepted within this time never will be. */
const startLimitMs = 60_000;

/** How long the code of a process may take whose streams have ended. */
const codeLimitMs = 30_000;

/** After the end: how long the streams may be silent, and how long this may go on. */
const silentMs = 200;
const lingerMs = 1_000;

/** Closing it leaves the sandbox alone. */
export function createModalTransport(place: ModalPlace): Transport {
	return {
		destination: place.name,
		// An exec's streams end when nobody holds them any more, which may be long after the command.
		needsEndReport: true,
		longestLine,
		run: async (request) => remoteLine(place, await startExec(place, request), request),
		async [Symbol.asyncDispose]() {},
	};
}

/** Not given up when the caller loses interest: what Modal has accepted runs, and only its end report says what to end. */
async function startExec(place: ModalPlace, { line, pty }: LineRequest): Promise<ContainerProcess<Uint8Array>> {
	const argv = ["/bin/sh", "-c", line];
	const how = { mode: "binary", ...(pty && { pty: true }) } as const;
	try {
		const started = place.withHandle((sandbox) => sandbox.exec(argv, how));
		return await unlessEnded(place, started, startLimitMs);
	} catch (cause) {
		throw unavailable(place, "start a command", cause);
	}
}

/** What `promise` gives. @throws {BackendUnavailable} When the sandbox ends before, or it takes too long. */
async function unlessEnded<T>(place: ModalPlace, promise: Promise<T>, limitMs: number): Promise<T> {
	const { promise: late, reject } = Promise.withResolvers<never>();
	const timer = setTimeout(() => reject(new Error(`no answer within ${limitMs / 1000} s`)), limitMs);
	try {
		return await Promise.race([promise, late, place.ended.then((reason) => Promise.reject(new Error(reason)))]);
	} finally {
		clearTimeout(timer);
	}
}

function unavailable({ name, explain }: ModalPlace, what: string, cause: unknown): BackendUnavailable {
	return new BackendUnavailable(`Cannot ${what} on ${name}: ${explain(cause)}`, { cause });
}

function remoteLine(place: ModalPlace, process: ContainerProcess<Uint8Array>, request: LineRequest): RemoteLine {
	const output = passOn(process.stdout);
	const errors = passOn(process.stderr);
	const streamsEnded = Promise.all([output.ended, errors.ended]);
	const exited = exitOf(place, process, streamsEnded);
	exited.catch(() => undefined);
	const abandon = () => {
		output.cancel();
		errors.cancel();
	};
	void place.ended.then(abandon);
	return {
		stdin: request.hasInput ? inPieces(process.stdin) : undefined,
		output: output.stream,
		errors: errors.stream,
		exited,
		settled: (received) => settled(received, streamsEnded),
		abandon,
	};
}

/** The code is asked for when the streams have ended: until then it is told in them, and asking would not hear of a lost sandbox. */
async function exitOf(
	place: ModalPlace,
	process: ContainerProcess<Uint8Array>,
	streamsEnded: Promise<readonly (Error | undefined)[]>,
): Promise<number> {
	const failures = await Promise.race([streamsEnded, place.ended.then((reason) => [new Error(reason)])]);
	const failure = failures.find((item) => item !== undefined);
	if (failure !== undefined) throw unavailable(place, "finish the command", failure);
	try {
		return await unlessEnded(place, process.wait(), codeLimitMs);
	} catch (cause) {
		throw unavailable(place, "finish the command", cause);
	}
}

interface PassedOn {
	readonly stream: ReadableStream<Uint8Array>;
	/** Settles at the end, with what cut the stream off. */
	readonly ended: Promise<Error | undefined>;
	cancel(): void;
}

/** A stream that is cut off just ends: the failure belongs to the command's end, not to one of its streams. */
function passOn(source: ReadableStream<Uint8Array>): PassedOn {
	const reader = source.getReader();
	const ended = Promise.withResolvers<Error | undefined>();
	const stop = (failure?: Error) => ended.resolve(failure);
	const stream = new ReadableStream<Uint8Array>(
		{
			async pull(controller) {
				const next = await reader.read().catch((cause: unknown) => cutOff(cause));
				if (!("done" in next)) stop(next.failure);
				else if (!next.done) return controller.enqueue(next.value);
				stop();
				controller.close();
			},
			cancel: () => cancel(),
		},
		{ highWaterMark: 0 },
	);
	const cancel = () => {
		stop();
		// Its failure has nobody left to interest.
		void reader.cancel().catch(() => undefined);
	};
	return { stream, ended: ended.promise, cancel };
}

function cutOff(cause: unknown): { readonly failure: Error } {
	return { failure: cause instanceof Error ? cause : new Error(String(cause)) };
}

function inPieces(stdin: WritableStream<Uint8Array>): WritableStream<Uint8Array> {
	const writer = stdin.getWriter();
	return new WritableStream<Uint8Array>({
		async write(chunk) {
			for (let at = 0; at < chunk.length; at += longestWrite) await writer.write(chunk.subarray(at, at + longestWrite));
		},
		close: () => writer.close(),
		abort: (reason) => writer.abort(reason),
	});
}

/** What the process wrote is on its way while it ends; where somebody else goes on writing, silence has to do. */
async function settled(received: () => number, streamsEnded: Promise<unknown>): Promise<void> {
	let haveEnded = false;
	const ended = streamsEnded.then(() => {
		haveEnded = true;
	});
	const giveUpAt = performance.now() + lingerMs;
	for (let before = -1; !haveEnded && before !== received() && performance.now() < giveUpAt; ) {
		before = received();
		await settledWithin(ended, silentMs);
	}
	if (haveEnded) await Promise.withResolvers<void>().promise;
}
