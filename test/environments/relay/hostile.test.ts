/** A relay that lies: whatever it sends, this side goes on, keeps little, and mixes nothing up. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ProcessLost } from "../../../lib/environments/backend.ts";
import { RelayClient } from "../../../lib/environments/relay/client.ts";
import { Connections } from "../../../lib/environments/relay/connections.ts";
import {
	encodeFrame,
	firstConnection,
	fromRelay,
	longestFrameBytes,
	part,
	protocolVersion,
	windowBytes,
} from "../../../lib/environments/relay/frames.ts";
import { type StartedJob, startJob } from "../../../lib/environments/relay/job.ts";

const hello = encodeFrame(
	fromRelay.hello,
	0,
	Buffer.concat([
		part.short(protocolVersion),
		Buffer.alloc(12),
		part.number(2 ** 32 - 1),
		Buffer.from("linux\x003.11"),
	]),
);

/** A client whose relay is the test. */
function connect() {
	let relay: ReadableStreamDefaultController<Uint8Array> | undefined;
	const reasons: string[] = [];
	const connections = new Connections();
	const output = new ReadableStream<Uint8Array>({
		start(controller) {
			relay = controller;
		},
		cancel() {
			relay = undefined;
		},
	});
	const client: RelayClient = new RelayClient(
		{ stdin: new WritableStream(), output },
		{
			onLost: async (reason) => void reasons.push(reason),
			onConnection: (number, listener) => connections.accept(client, number, listener),
		},
	);
	const say = (...chunks: readonly Uint8Array[]) => {
		for (const chunk of chunks) relay?.enqueue(chunk);
	};
	return { client, connections, reasons, say, hangUp: () => relay?.close() };
}

type Connected = ReturnType<typeof connect>;

/** Starts a process, as far as this side knows. */
function start({ client }: Connected, options: { control?: true; stdin?: "pipe" | "none" } = {}) {
	return startJob(client, {
		argv: ["true"],
		completes: false,
		marks: () => [],
		options: { env: {}, cwd: "/", stdin: "none", signal: new AbortController().signal, ...options },
	});
}

async function started(connected: Connected, number: number, options = {}): Promise<StartedJob> {
	const starting = start(connected, options);
	connected.say(encodeFrame(fromRelay.started, number, Buffer.concat([part.number(1000 + number), part.byte(1)])));
	const job = await starting;
	if (!("running" in job)) throw new Error(job.text);
	return job;
}

/** Bytes of a stream that is read as it comes, also when it breaks off. */
function collect(stream: ReadableStream<Uint8Array>): { readonly bytes: Set<number>; readonly ended: Promise<void> } {
	const bytes = new Set<number>();
	const read = async () => {
		for await (const chunk of stream) for (const byte of chunk) bytes.add(byte);
	};
	return { bytes, ended: read().catch(() => undefined) };
}

/** Most frames that are sent are of kinds and numbers that exist. */
const frame = fc.oneof(
	{
		weight: 3,
		arbitrary: fc.record({
			kind: fc.constantFrom(...Object.values(fromRelay)),
			number: fc.oneof(fc.integer({ min: 0, max: 6 }), fc.constantFrom(firstConnection, firstConnection + 1)),
			body: fc.oneof(fc.constant(undefined), fc.uint8Array({ maxLength: 40 })),
		}),
	},
	{
		weight: 1,
		arbitrary: fc.record({
			kind: fc.integer({ min: 0, max: 255 }),
			number: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
			body: fc.uint8Array({ maxLength: 4_000 }),
		}),
	},
	{ weight: 60, arbitrary: fc.record({ kind: fc.constant(fromRelay.output), number: fc.integer({ min: 1, max: 2 }) }) },
);

/** A body of the right length says whose it is in each of its bytes. */
function encode({ kind, number, body }: { kind: number; number: number; body?: Uint8Array | undefined }): Buffer {
	const usual: Record<number, number> = {
		[fromRelay.outputEnd]: 0,
		[fromRelay.controlEnd]: 0,
		[fromRelay.closed]: 0,
		[fromRelay.inputClosed]: 0,
		[fromRelay.done]: 0,
		[fromRelay.exit]: 4,
		[fromRelay.credit]: 4,
		[fromRelay.open]: 4,
	};
	const own = kind === fromRelay.output || kind === fromRelay.control;
	if (body !== undefined && !own) return encodeFrame(kind, number, body);
	return encodeFrame(kind, number, Buffer.alloc(usual[kind] ?? 9, number));
}

const frames = 100_000;
const framesOfARun = 25;

describe("a relay that lies", () => {
	test(`does no harm in ${frames} frames`, async () => {
		let sent = 0;
		let survived = 0;
		const run = async (list: readonly Buffer[], cuts: readonly number[]) => {
			const connected = connect();
			connected.say(hello);
			const first = await started(connected, 1, { stdin: "pipe" });
			const second = await started(connected, 2, { control: true });
			const third = start(connected);
			third.catch(() => undefined);
			const listening = connected.connections.listen(connected.client, "/socket", () => undefined);
			listening.catch(() => undefined);
			const outputs = [collect(first.running.output), collect(second.running.output)];
			let bytes = Buffer.concat(list);
			for (const size of cuts) {
				connected.say(bytes.subarray(0, size));
				bytes = bytes.subarray(size);
			}
			connected.say(bytes);
			await Bun.sleep(0);
			if (!connected.client.isLost) survived++;
			connected.hangUp();
			await Promise.all(outputs.map(({ ended }) => ended));
			expect(connected.client.isLost).toBe(true);
			expect(connected.reasons).toHaveLength(1);
			expect([...(outputs[0]?.bytes ?? [])].filter((byte) => byte !== 1)).toEqual([]);
			expect([...(outputs[1]?.bytes ?? [])].filter((byte) => byte !== 2)).toEqual([]);
			sent += list.length;
		};
		const many = fc.array(frame.map(encode), { minLength: framesOfARun, maxLength: framesOfARun, size: "max" });
		const cuts = fc.array(fc.integer({ min: 1, max: 500 }), { maxLength: 10 });
		await fc.assert(fc.asyncProperty(many, cuts, run), { numRuns: frames / framesOfARun, endOnFailure: true });
		expect(sent).toBe(frames);
		expect(survived).toBeLessThan(frames / framesOfARun);
	}, 120_000);

	const cases: readonly { name: string; say: (number: number) => readonly Buffer[] }[] = [
		{
			name: "an output for a number that nothing has",
			say: () => [encodeFrame(fromRelay.output, 77, Buffer.from("x"))],
		},
		{
			name: "output after its end",
			say: (id) => [encodeFrame(fromRelay.outputEnd, id), encodeFrame(fromRelay.output, id, Buffer.from("x"))],
		},
		{ name: "control that was not asked for", say: (id) => [encodeFrame(fromRelay.control, id, Buffer.from("x"))] },
		{
			name: "two ends of a process",
			say: (id) => [encodeFrame(fromRelay.exit, id, part.number(0)), encodeFrame(fromRelay.exit, id, part.number(1))],
		},
		{ name: "room for input that nobody sends", say: (id) => [encodeFrame(fromRelay.credit, id, part.number(1))] },
		{
			name: "a second start",
			say: (id) => [encodeFrame(fromRelay.started, id, Buffer.concat([part.number(5), part.byte(1)]))],
		},
		{
			name: "a connection that nobody listens for",
			say: (id) => [encodeFrame(fromRelay.open, firstConnection, part.number(id))],
		},
		{ name: "a connection under a number of ours", say: (id) => [encodeFrame(fromRelay.open, id, part.number(id))] },
		{
			name: "more output than was asked for",
			say: (id) =>
				Array(windowBytes / longestFrameBytes + 1).fill(
					encodeFrame(fromRelay.output, id, Buffer.alloc(longestFrameBytes)),
				),
		},
		{ name: "a second greeting", say: () => [hello] },
	];
	test.each(cases)("is not listened to any more after $name", async ({ say }) => {
		const connected = connect();
		connected.say(hello);
		const { running } = await started(connected, 1);
		connected.say(...say(1));
		expect(await running.exited.catch((cause) => cause.name)).toBeOneOf([ProcessLost.name, 0]);
		await Bun.sleep(0);
		expect(connected.client.isLost).toBe(true);
	});

	test("cannot make anybody end process group 1", async () => {
		const connected = connect();
		connected.say(hello);
		const starting = start(connected);
		connected.say(encodeFrame(fromRelay.started, 1, Buffer.concat([part.number(1), part.byte(1)])));
		expect(await starting.catch((cause) => cause.name)).toBe(ProcessLost.name);
	});

	test("is refused when it speaks another version", async () => {
		const connected = connect();
		const other = Buffer.from(hello);
		other.writeUInt16BE(protocolVersion + 1, 9);
		connected.say(other);
		expect(await connected.client.hello.catch((cause) => cause.message)).toContain("does not speak version");
	});

	test("fills no more memory than a window with pieces of one byte", async () => {
		const connected = connect();
		connected.say(hello);
		const { running } = await started(connected, 1);
		const pieces = Buffer.concat(Array(4_096).fill(encodeFrame(fromRelay.output, 1, Buffer.from("x"))));
		Bun.gc(true);
		const before = process.memoryUsage().arrayBuffers;
		for (let round = 0; round < windowBytes / 4_096; round++) connected.say(pieces);
		await Bun.sleep(10);
		expect(connected.client.isLost).toBe(false);
		Bun.gc(true);
		expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * windowBytes);
		const text = running.output.getReader();
		expect((await text.read()).value?.length).toBeGreaterThan(1);
	});
});
