/** Runs lines over connections of our own. */

import { constants } from "node:os";
import type { Readable } from "node:stream";
import { BackendUnavailable } from "../../backend.ts";
import type { LineRequest, RemoteLine, Transport } from "../transport.ts";
import type { Connections, OpenedChannel } from "./connections.ts";

/** After the end, silence for this many round trips means that nothing of the process is on its way. */
const silentRoundTrips = 2;

/** How long after its channel a connection may be found to be lost. */
const closeToLostMs = 50;

/** ssh2 makes buffers for every packet, of which the collector learns late: 100 MB of output would take 100 MB of memory. */
const collectAfterBytes = 4 * 1024 * 1024;

/** No pipe holds more; what comes beyond it is another process's. */
const pipeBytes = 1024 * 1024;

/** A transport over `connections`, which it closes. */
export function createBuiltinTransport(connections: Connections, destination: string): Transport {
	return {
		destination,
		needsEndReport: false,
		async run(request) {
			const opened = await connections.run({ ...request, command: request.line });
			return remoteLine(opened, request, destination);
		},
		[Symbol.asyncDispose]: () => connections[Symbol.asyncDispose](),
	};
}

function remoteLine(opened: OpenedChannel, { hasInput }: LineRequest, destination: string): RemoteLine {
	const { channel } = opened;
	if (!hasInput) channel.end();
	return {
		stdin: hasInput ? writableOf(opened) : undefined,
		output: readableOf(channel),
		errors: readableOf(channel.stderr),
		exited: exitOf(opened, destination),
		settled: (received) => settled(opened, received),
		abandon: () => channel.close(),
	};
}

async function exitOf({ exited, lost }: OpenedChannel, destination: string): Promise<number> {
	const fail = (why: string): never => {
		throw new BackendUnavailable(`Lost the connection to ${destination} while a command ran there: ${why}`);
	};
	const exit = await exited;
	if (typeof exit === "number") return exit;
	if (exit !== undefined) return 128 + signalNumber(exit);
	// A connection that is lost closes its channels in the same moment.
	return fail(
		await Promise.race([lost, Bun.sleep(closeToLostMs).then(() => "the server ended it without an exit code")]),
	);
}

function signalNumber(name: string): number {
	return Object.entries(constants.signals).find(([known]) => known === name)?.[1] ?? 0;
}

/** sshd tells the exit before it has read the pipes to their end, and reads them again each time it answers us. */
async function settled({ closed, roundTrip }: OpenedChannel, received: () => number): Promise<void> {
	const limit = received() + pipeBytes;
	for (let silent = 0; silent < silentRoundTrips && received() < limit; ) {
		const before = received();
		const next = await Promise.race([roundTrip().then(() => "answered"), closed.then(() => "closed")]);
		// Both streams end by themselves then, when what is buffered of them has been read.
		if (next === "closed") return Promise.withResolvers<void>().promise;
		silent = received() === before ? silent + 1 : 0;
	}
}

function readableOf(readable: Readable): ReadableStream<Uint8Array> {
	let uncollected = 0;
	return new ReadableStream<Uint8Array>({
		start(controller) {
			readable.on("data", (chunk: Uint8Array) => {
				controller.enqueue(chunk);
				uncollected += chunk.length;
				if (uncollected > collectAfterBytes) {
					uncollected = 0;
					Bun.gc(false);
				}
				if ((controller.desiredSize ?? 0) <= 0) readable.pause();
			});
			// Also when the connection is lost.
			readable.on("end", () => controller.close());
		},
		pull: () => void readable.resume(),
	});
}

function writableOf({ channel, closed }: OpenedChannel): WritableStream<Uint8Array> {
	// A program may end without reading its input; ssh2 then never calls back.
	return new WritableStream<Uint8Array>({
		write: (chunk) => Promise.race([closed, new Promise<void>((done) => channel.write(chunk, () => done()))]),
		close: () => void channel.end(),
		abort: () => void channel.end(),
	});
}
