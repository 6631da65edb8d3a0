import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Message } from "../../lib/base/conversation.ts";
import cassette from "../../lib/providers/cassette/index.ts";
import {
	type ModelChunk,
	type ModelClient,
	type ModelRequest,
	ProviderRefused,
	type WireName,
} from "../../lib/providers/provider.ts";
import { recordTo } from "../../lib/providers/record.ts";
import { openChatClient } from "../../lib/providers/wire/chat-client.ts";
import { openWire } from "../../lib/providers/wire/open-wire.ts";
import type { WireSettings } from "../../lib/providers/wire/wire-settings.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { type ScriptedBytes, startWireServer, type WireServer } from "../support/wire-server.ts";

/** The promises that every wire keeps, run for each against streams recorded in the form of its service. */

const folder = join(import.meta.dir, "../fixtures/wires");
const generous = 20;
const key = "sk-secret-1234567890";

/** What is different in how the services keep a connection open, where they are, and where the key goes. */
const wires: Readonly<Record<WireName, { path: string; sentTo: string; beat: string; keyHeader: [string, string] }>> = {
	"chat-completions": {
		path: "/v1",
		sentTo: "/v1/chat/completions",
		beat: ": OPENROUTER PROCESSING\n\n",
		keyHeader: ["authorization", `Bearer ${key}`],
	},
	responses: {
		path: "/v1",
		sentTo: "/v1/responses",
		beat: 'event: keepalive\ndata: {"type":"keepalive","sequence_number":3}\n\n',
		keyHeader: ["authorization", `Bearer ${key}`],
	},
	"anthropic-messages": {
		path: "",
		sentTo: "/v1/messages",
		beat: 'event: ping\ndata: {"type": "ping"}\n\n',
		keyHeader: ["x-api-key", key],
	},
	gemini: {
		path: "/v1beta",
		sentTo: "/v1beta/models/test-model:streamGenerateContent?alt=sse",
		beat: ": keep-alive\r\n\r\n",
		keyHeader: ["x-goog-api-key", key],
	},
};

const request: ModelRequest = {
	model: "test-model",
	messages: [
		{ role: "system", content: "Be brief." },
		{ role: "user", content: "Hello" },
	],
	tools: [],
};

function file(wire: WireName, name: string): Promise<string> {
	return Bun.file(join(folder, wire, name)).text();
}

async function open(wire: WireName, server: WireServer, settings: Partial<WireSettings> = {}) {
	const shared = { provider: "test", apiKey: key, keyName: "TEST_KEY", stallSeconds: generous, ...settings };
	const where = { ...shared, baseUrl: server.url + wires[wire].path };
	// Reasoning details are asked back by OpenRouter only; every other promise holds without quirks.
	return wire === "chat-completions" ? openChatClient(where, {}) : openWire(wire, where);
}

async function chunksFrom(wire: WireName, answer: ScriptedBytes, settings?: Partial<WireSettings>) {
	await using server = startWireServer(answer);
	const client = await open(wire, server, settings);
	const chunks: ModelChunk[] = [];
	let refused: unknown;
	try {
		for await (const chunk of client.complete(request, new AbortController().signal)) chunks.push(chunk);
	} catch (cause) {
		refused = cause;
	}
	return { chunks, refused };
}

async function finishedFrom(wire: WireName, answer: ScriptedBytes) {
	const { chunks, refused } = await chunksFrom(wire, answer);
	if (refused !== undefined) throw refused;
	const last = chunks.at(-1);
	if (last?.type !== "finished") throw new Error("no finished chunk");
	const { type: _, ...finished } = last;
	const said = chunks.flatMap((chunk) => (chunk.type === "text" ? [chunk.text] : [])).join("");
	const thought = chunks.flatMap((chunk) => (chunk.type === "reasoning" ? [chunk.text] : [])).join("");
	expect([said, thought]).toEqual([finished.message.content, finished.message.reasoning ?? ""]);
	return finished;
}

async function refusalFrom(wire: WireName, answer: ScriptedBytes, settings?: Partial<WireSettings>) {
	const { chunks, refused } = await chunksFrom(wire, answer, settings);
	if (!(refused instanceof ProviderRefused)) throw refused ?? new Error("was not refused");
	expect(refused.message).not.toContain("\n");
	expect(refused.message).not.toContain(key);
	expect(chunks.some(({ type }) => type === "finished")).toBe(false);
	return refused;
}

for (const wire of Object.keys(wires) as WireName[]) {
	const { path, sentTo, beat, keyHeader } = wires[wire];

	describe(`the wire ${wire}`, () => {
		for (const answer of ["text", "parallel-tools", "reasoning"] as const) {
			test(`complete() reads ${answer}`, async () => {
				const expected = JSON.parse(await file(wire, "expected.json"));
				expect(await finishedFrom(wire, { pieces: [await file(wire, `${answer}.sse`)] })).toEqual(expected[answer]);
			});
		}

		test("complete() reads a stream that is cut between any two bytes", async () => {
			const expected = JSON.parse(await file(wire, "expected.json"));
			const bytes = new TextEncoder().encode(await file(wire, "parallel-tools.sse"));
			const pieces = Array.from(bytes, (byte) => Uint8Array.of(byte));
			expect(await finishedFrom(wire, { pieces })).toEqual(expected["parallel-tools"]);
		});

		test("complete() is not disturbed by what keeps the connection open", async () => {
			const expected = JSON.parse(await file(wire, "expected.json"));
			const events = (await file(wire, "text.sse")).split(/(?<=\n\n|\r\n\r\n)/);
			const pieces = events.flatMap((event) => [beat, event]);
			expect(await finishedFrom(wire, { pieces })).toEqual(expected.text);
		});

		test("complete() gives up a stream that only keeps its connection open", async () => {
			const [first = ""] = (await file(wire, "text.sse")).split(/(?<=\n\n|\r\n\r\n)/);
			const { kind, message } = await refusalFrom(
				wire,
				{ pieces: [first], end: { beats: beat } },
				{ stallSeconds: 0.3 },
			);
			expect([kind, message.split(": ").at(-1)]).toEqual([
				"stalled",
				"nothing came for 0.3 s; the request was given up",
			]);
		});

		test("complete() says that an error came in the middle of the answer", async () => {
			const { kind, message } = await refusalFrom(wire, { pieces: [await file(wire, "error-in-stream.sse")] });
			expect([kind, message.includes("it reports ")]).toEqual(["overloaded", true]);
		});

		test("complete() takes an error under status 200 for one", async () => {
			const pieces = [await file(wire, "error-body.json")];
			const { kind } = await refusalFrom(wire, { pieces, headers: { "content-type": "application/json" } });
			expect(kind).toBe("overloaded");
		});

		test("complete() says when to ask again, in seconds or as a date", async () => {
			const pieces = [await file(wire, "rate-limit.json")];
			const inSeconds = await refusalFrom(wire, { status: 429, pieces, headers: { "retry-after": "17" } });
			const date = new Date(Date.now() + 90_000).toUTCString();
			const asDate = await refusalFrom(wire, { status: 429, pieces, headers: { "retry-after": date } });
			const silent = await refusalFrom(wire, { status: 429, pieces });
			expect([inSeconds, asDate, silent].map(({ kind, status }) => [kind, status])).toEqual(
				Array.from({ length: 3 }, () => ["rate_limit", 429]),
			);
			expect([inSeconds.hints, silent.hints]).toEqual([{ retryAfterMs: 17_000 }, {}]);
			expect(asDate.hints.retryAfterMs).toBeGreaterThan(30_000);
			expect(asDate.hints.retryAfterMs).toBeLessThanOrEqual(90_000);
		});

		test("complete() knows a server that failed from one that is overloaded", async () => {
			const pieces = [await file(wire, "server-error.json")];
			const failed = await refusalFrom(wire, { status: 500, pieces });
			const page = await refusalFrom(wire, { status: 502, pieces: ["<html>Bad gateway</html>"] });
			const overloaded = await refusalFrom(wire, { status: 529, pieces: [await file(wire, "error-body.json")] });
			expect([failed, page, overloaded].map(({ kind, status }) => [kind, status])).toEqual([
				["server_error", 500],
				["server_error", 502],
				["overloaded", 529],
			]);
			expect(page.message).toEndWith("the server failed (502): an HTML page; try again later");
		});

		test("complete() says that the connection broke off, or that the stream ended too early", async () => {
			const events = (await file(wire, "parallel-tools.sse")).split(/(?<=\n\n|\r\n\r\n)/);
			// Only what comes at the very end says that an answer is whole.
			const most = events.slice(0, 2).join("");
			const cut = await refusalFrom(wire, { pieces: [most], end: "cut" });
			const short = await refusalFrom(wire, { pieces: [most] });
			const nothing = await refusalFrom(wire, { pieces: [] });
			expect([cut.kind, short.kind, nothing.kind]).toEqual(["network", "network", "unreadable"]);
		});

		test("complete() says that what came is no answer", async () => {
			const page = await refusalFrom(wire, {
				pieces: ["<!doctype html><p>Welcome"],
				headers: { "content-type": "text/html" },
			});
			const broken = await refusalFrom(wire, { pieces: ["event: message_start\ndata: {this is : not json}\n\n"] });
			expect([page.kind, broken.kind]).toEqual(["unreadable", "unreadable"]);
		});

		test("complete() follows no redirect, so that the key stays with its host", async () => {
			await using elsewhere = startWireServer({ pieces: [] });
			const redirect = { status: 307, headers: { location: `${elsewhere.url}/` }, pieces: [] };
			expect([(await refusalFrom(wire, redirect)).kind, elsewhere.seen]).toEqual(["settings", []]);
		});

		test("complete() sends our own headers and nothing of the SDK's", async () => {
			await using server = startWireServer({ pieces: [await file(wire, "text.sse")] });
			const client = await open(wire, server);
			await Array.fromAsync(client.complete(request, new AbortController().signal));
			const [seen] = server.seen;
			const { host: _, connection: __, ...headers } = seen?.headers ?? {};
			expect([seen?.path, headers]).toEqual([
				sentTo,
				{
					accept: "text/event-stream",
					"accept-encoding": expect.any(String),
					"content-length": expect.any(String),
					"content-type": "application/json",
					"user-agent": "hermes",
					...(wire === "anthropic-messages" && { "anthropic-version": "2023-06-01" }),
					[keyHeader[0]]: keyHeader[1],
				},
			]);
		});

		for (const name of ["short", "long", "foreign", "prompt", "image"] as const) {
			test(`complete() sends the ${name} conversation as its service documents it`, async () => {
				const conversation = await requestOf(wire, name);
				await using server = startWireServer({ pieces: [await file(wire, "text.sse")] });
				const client = await open(wire, server);
				await Array.fromAsync(client.complete(conversation, new AbortController().signal));
				expect(server.seen[0]?.body).toEqual(JSON.parse(await file(wire, `body-${name}.json`)));
			});
		}

		test("complete() sends the same bytes for the same question, and keeps the beginning when the conversation goes on", async () => {
			const { messages, ...rest } = await requestOf(wire, "long");
			await using server = startWireServer({ pieces: [await file(wire, "text.sse")] });
			const client = await open(wire, server);
			const ask = (said: readonly Message[]) =>
				Array.fromAsync(client.complete({ ...rest, messages: said }, new AbortController().signal));
			await ask(messages);
			await ask(structuredClone(messages));
			await ask([
				...messages,
				{ role: "assistant", content: "Done.", toolCalls: [], finishReason: "stop" },
				{ role: "user", content: "Go on" },
			]);
			const [first = "", again = "", longer = ""] = server.seen.map(({ text }) => withoutMarks(text));
			expect(again).toBe(first);
			expect(longer.startsWith(beginningOf(first))).toBe(true);
		});

		test("complete() sends messages of one speaker in a row as one", async () => {
			const said = (...contents: string[]) =>
				contents.map((content): Message => ({ role: "assistant", content, toolCalls: [] }));
			const asked = (...contents: string[]) => contents.map((content): Message => ({ role: "user", content }));
			await using server = startWireServer({ pieces: [await file(wire, "text.sse")] });
			const client = await open(wire, server);
			for (const messages of [
				[...asked("one", "two"), ...said("first", "second"), ...asked("go on")],
				[...asked("one\n\ntwo"), ...said("first\n\nsecond"), ...asked("go on")],
			]) {
				await Array.fromAsync(client.complete({ ...request, messages }, new AbortController().signal));
			}
			expect(server.seen[0]?.body).toEqual(server.seen[1]?.body);
		});

		test("complete() lets what came be read again without the network", async () => {
			const recorded: { body: string; contentType: string }[] = [];
			await using server = startWireServer({ pieces: [await file(wire, "reasoning.sse")] });
			const client = await open(wire, server);
			const live = await Array.fromAsync(
				client.complete({ ...request, onRaw: (raw) => recorded.push(raw) }, new AbortController().signal),
			);
			const [raw] = recorded;
			const answer = () => new Response(raw?.body, { headers: { "content-type": raw?.contentType ?? "" } });
			const offline = await openWire(wire, {
				provider: "test",
				baseUrl: `http://nowhere.invalid${path}`,
				keyName: "none",
				stallSeconds: generous,
				answer,
			});
			expect(await Array.fromAsync(offline.complete(request, new AbortController().signal))).toEqual(live);
			expect(raw?.body).toBe(await file(wire, "reasoning.sse"));
		});
	});
}

describe("cassette", () => {
	for (const wire of Object.keys(wires) as WireName[]) {
		test(`recordTo() keeps answers of the wire ${wire} word for word, and they play through its reader`, async () => {
			using folder = temporaryFolder();
			const path = join(folder.path, "run.raw.jsonl");
			await using server = startWireServer(
				{ pieces: [await file(wire, "reasoning.sse")] },
				{ pieces: [await file(wire, "text.sse")] },
			);
			const live = recordTo(path, await open(wire, server));
			const said = [
				request,
				{ ...request, messages: [...request.messages, { role: "user" as const, content: "Go on" }] },
			];
			const askAll = async (client: ModelClient) => {
				const answers: ModelChunk[][] = [];
				for (const each of said) {
					answers.push(await Array.fromAsync(client.complete(each, new AbortController().signal)));
				}
				return answers;
			};
			const heard = await askAll(live);
			const tape = { name: path, text: await Bun.file(path).text(), values: {} };
			const played = await cassette.open({ tape, stallSeconds: generous });
			expect(await askAll(played)).toEqual(heard);
			expect(JSON.parse(tape.text.split("\n")[1] ?? "").raw.body).toBe(await file(wire, "text.sse"));
		});
	}
});

/** The conversation of that name, with what this wire's own answers carry in it. */
async function requestOf(wire: WireName, name: string): Promise<ModelRequest> {
	const requests = await Bun.file(join(folder, "requests.json")).json();
	const replays = await Bun.file(join(folder, "replays.json")).json();
	const filled = JSON.stringify(requests[name]).replaceAll('"<replay>"', JSON.stringify(replays[wire]));
	const { images, ...rest } = JSON.parse(filled);
	return { ...rest, ...(images !== undefined && { images: new Map(Object.entries(images)) }) };
}

/** Marks of the cache move on with the conversation; services leave them out of what they compare. */
function withoutMarks(body: string): string {
	return body.replaceAll(/,"cache_control":\{[^}]*\}/g, "");
}

/** All up to the end of the last message. */
function beginningOf(body: string): string {
	const { messages, input, contents } = JSON.parse(body);
	const last = JSON.stringify((messages ?? input ?? contents).at(-1));
	return body.slice(0, body.lastIndexOf(last) + last.length);
}
