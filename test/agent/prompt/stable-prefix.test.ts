/** Caches of providers know a request by its beginning: what was sent once is sent again letter for letter. */

import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { type AgentOptions, createAgent } from "../../../lib/agent/agent.ts";
import { openImages } from "../../../lib/agent/ask/sent-images.ts";
import { createCompressor } from "../../../lib/agent/context/compressor.ts";
import { historyProblems } from "../../../lib/agent/history.ts";
import { steeringNote } from "../../../lib/agent/steer.ts";
import type { MessageImage } from "../../../lib/base/conversation.ts";
import { createRecalls, recallingClient } from "../../../lib/memory/recall-client.ts";
import type { ModelClient, WireName } from "../../../lib/providers/provider.ts";
import { openChatClient } from "../../../lib/providers/wire/chat-client.ts";
import { openWire } from "../../../lib/providers/wire/open-wire.ts";
import type { WireSettings } from "../../../lib/providers/wire/wire-settings.ts";
import { openStore } from "../../../lib/store/database.ts";
import { compressionSettings } from "../../support/long-conversation.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { startWireServer } from "../../support/wire-server.ts";

const fixtures = join(import.meta.dir, "../../fixtures/wires");
const signal = new AbortController().signal;

interface Case {
	readonly name: string;
	readonly wire: WireName;
	readonly path: string;
	open(settings: WireSettings): Promise<ModelClient>;
}

const cases: readonly Case[] = [
	...(["chat-completions", "responses", "anthropic-messages", "gemini"] as const).map((wire) => ({
		name: wire,
		wire,
		path: { "chat-completions": "/v1", responses: "/v1", "anthropic-messages": "", gemini: "/v1beta" }[wire],
		open: (settings: WireSettings) => openWire(wire, settings),
	})),
	{
		name: "chat-completions with marks of the cache",
		wire: "chat-completions",
		path: "/v1",
		open: (settings) => openChatClient(settings, { marksCache: () => true }),
	},
];

/** With a part that all sessions share. */
const prompt = (day: string) => `Be brief.\n\n${steeringNote}\n\nConversation started: ${day}`;

type Body = Readonly<Record<string, unknown>>;
type Fields = Readonly<Record<string, unknown>>;

/** Where each wire has what was said. */
const historyKeys = ["messages", "input", "contents"];

/** Without marks of the cache, which move, and with a text that has one as the text it is without. */
function withoutMarks(value: unknown): unknown {
	if (Array.isArray(value)) {
		const items = value.map(withoutMarks);
		const [only] = items;
		const isOneText = items.length === 1 && isFields(only) && only.type === "text" && Object.keys(only).length === 2;
		return isOneText ? only.text : items;
	}
	if (!isFields(value)) return value;
	const entries = Object.entries(value).filter(([key]) => key !== "cache_control");
	return Object.fromEntries(entries.map(([key, item]) => [key, withoutMarks(item)]));
}

function isFields(value: unknown): value is Fields {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The parts of what was said, in order; several results or blocks may be one message of the wire. */
function saidIn(body: Body): readonly string[] {
	const key = historyKeys.find((name) => name in body) ?? "";
	const list = withoutMarks(body[key]);
	return (Array.isArray(list) ? list : []).flatMap((message: Fields) => {
		const parts = message.content ?? message.parts;
		if (!Array.isArray(parts)) return [JSON.stringify(message)];
		return parts.map((part) => JSON.stringify([message.role, part]));
	});
}

/** Everything else of a request. */
function frameOf(body: Body): string {
	return JSON.stringify(
		withoutMarks(Object.fromEntries(Object.entries(body).filter(([key]) => !historyKeys.includes(key)))),
	);
}

/** Whether all of `text` up to the end of its newest message stands at the beginning of `next`. */
function isBeginningOf(text: string, next: string): boolean {
	const list = historyKeys.map((key) => text.indexOf(`"${key}":[`)).find((at) => at >= 0) ?? -1;
	const body: Body = JSON.parse(text);
	const key = historyKeys.find((name) => name in body) ?? "";
	const length = JSON.stringify(body[key]).length - 1;
	const start = text.indexOf("[", list);
	return next.startsWith(text.slice(0, start + length));
}

/** Forty turns: a call of two tools and an answer each, with all that the user may do. Gives the requests of the conversation. */
async function converse({ wire, path, open }: Case, turns: number) {
	using folder = temporaryFolder();
	using store = openStore(join(folder.path, "state.db"));
	const [calls = "", text = ""] = await Promise.all(
		["parallel-tools", "text"].map((name) => Bun.file(join(fixtures, wire, `${name}.sse`)).text()),
	);
	const compressedAt = Math.floor(turns / 2);
	const answers = Array.from({ length: turns }, (_, turn) =>
		turn === compressedAt ? [text, calls, text] : [calls, text],
	);
	await using server = startWireServer(...answers.flat().map((piece) => ({ pieces: [piece] })));
	const settings = { provider: "test", apiKey: "k", keyName: "K", stallSeconds: 20, baseUrl: server.url + path };
	const client = await open({ ...settings, cacheTtl: "5m" } as WireSettings);
	const tools = ["terminal", "read_file"].map((name) => ({
		name,
		description: `Does ${name}.`,
		parameters: { type: "object", properties: { path: { type: "string" }, command: { type: "string" } } },
	}));
	store.createSession({ id: "s", source: "cli", systemPrompt: prompt("today") });
	let turn = 0;
	const options = (from: Pick<AgentOptions, "sessionId" | "systemPrompt" | "history">): AgentOptions => ({
		client,
		model: "test-model",
		providerId: "test",
		tools,
		async runTool(call) {
			if (turn % 5 === 3 && call.name === "read_file") agent.steer(`steered in turn ${turn}`);
			const answer = JSON.stringify({ output: ` turn ${turn} of ${call.name}\n${"x".repeat(turn * 20)} ` });
			return { answer, isError: false, denied: false, durationMs: 1 };
		},
		store,
		cwd: "/w",
		ranOn: "local",
		maxTurns: 20,
		images: openImages({ read: () => Buffer.from(picture), areSeenBy: () => true }),
		compress: createCompressor({
			settings: compressionSettings,
			windowOf: () => 1_000_000,
			timeoutSeconds: 30,
			mask: (text) => text,
			store,
			rebuildPrompt: async () => prompt("tomorrow"),
			emit() {},
		}),
		emit() {},
		...from,
	});
	let agent = createAgent(options({ sessionId: "s", systemPrompt: prompt("today"), history: [] }));
	const summaries: number[] = [];
	for (; turn < turns; turn++) {
		if (turn === compressedAt) {
			summaries.push(server.seen.length);
			expect(await agent.compress(undefined, signal)).toBe(true);
		}
		// Another process goes on.
		if (turn === Math.floor(turns * 0.75)) {
			const { sessionId } = agent;
			const history = store.listMessages(sessionId).map(({ message }) => message);
			agent = createAgent(
				options({ sessionId, systemPrompt: store.getSession(sessionId)?.systemPrompt ?? "", history }),
			);
		}
		expect(await agent.runTurn(questionOf(turn), signal, imagesOf(turn))).toMatchObject({ ended: "answered" });
		expect(historyProblems(agent.messages)).toEqual([]);
	}
	const [summary = -1] = summaries;
	return { texts: server.seen.map(({ text }) => text), summary };
}

/** Services take four marks. What other sessions begin with too has one of its own. */
function checkMarks(text: string): void {
	const marks = text.match(/"cache_control"/g) ?? [];
	expect(marks.length).toBeLessThanOrEqual(4);
	const shared = text.slice(0, text.indexOf("Conversation started"));
	expect(shared.includes('"cache_control"')).toBe(marks.length > 0);
}

/** As a skill does it: a message of the user that holds much more than they typed. And with blanks around, as pasted. */
function questionOf(turn: number): string {
	if (turn % 7 === 2)
		return `[The user runs the skill "deploy"]\n\n# Deploy\n\n1. Build\n2. Ship\n\nThe user says: turn ${turn}`;
	return turn % 4 === 1 ? `  question ${turn} with blanks \n` : `question ${turn} 😀`;
}

/** Two questions of the first half and one of the second show an image. */
function imagesOf(turn: number): readonly MessageImage[] {
	const isShown = [1, 19, 25].includes(turn);
	return isShown
		? [{ sha256: "a".repeat(64), mediaType: "image/png", bytes: 7, width: 4, height: 3, name: "p.png" }]
		: [];
}

const picture = "picture";

describe.concurrent("requests of one conversation", () => {
	test.each(cases)(
		"over $name begin with all that was sent before, for forty turns, but for the one compression",
		async (wireCase) => {
			const { texts, summary } = await converse(wireCase, 40);
			expect(texts.length).toBe(81);
			const own = texts.filter((_, index) => index !== summary);
			let steered = 0;
			for (const [index, text] of own.slice(0, -1).entries()) {
				const next = own[index + 1] ?? "";
				const [before, after] = [JSON.parse(text), JSON.parse(next)];
				const said = saidIn(before);
				expect(said.length).toBeGreaterThan(0);
				if (text.includes("steered in turn")) steered++;
				checkMarks(text);
				if (index === summary - 1) {
					expect(saidIn(after).slice(0, said.length)).not.toEqual(said);
					continue;
				}
				expect({ index, said: saidIn(after).slice(0, said.length) }).toEqual({ index, said: [...said] });
				expect({ index, frame: frameOf(after) }).toEqual({ index, frame: frameOf(before) });
				// Where no marks move, not a byte of the request does.
				if (!text.includes("cache_control"))
					expect({ index, same: isBeginningOf(text, next) }).toEqual({ index, same: true });
			}
			expect(steered).toBeGreaterThan(20);
			const shown = own.map((text) => text.split(btoa(picture)).length - 1);
			// Of the images before the compression the newest is shown on.
			expect(shown.filter((count, index) => count !== shown[index - 1])).toEqual([0, 1, 2, 1, 2]);
		},
		60_000,
	);
});

test("requests begin with what was sent before when a memory service recalls something for each question", async () => {
	const sent: string[][] = [];
	const recalls = createRecalls();
	const client = recallingClient(
		{
			async *complete({ messages }) {
				sent.push(messages.map((message) => JSON.stringify(message)));
				yield { type: "finished", message: { role: "assistant", content: `answer ${sent.length}`, toolCalls: [] } };
			},
		},
		recalls,
	);
	const agent = createAgent({
		...{
			client,
			model: "m",
			providerId: "p",
			systemPrompt: "Be brief.",
			tools: [],
			sessionId: "s",
			cwd: "/",
			ranOn: "local",
		},
		runTool: () => Promise.reject(new Error("no tools")),
		maxTurns: 5,
		emit() {},
	});
	for (let turn = 0; turn < 5; turn++) {
		recalls.expect(`question ${turn}`, turn % 2 === 0 ? `recall ${turn}` : "");
		await agent.runTurn(`question ${turn}`, signal);
	}
	expect(sent.at(-1)?.filter((message) => message.includes("recall"))).toHaveLength(3);
	for (const [index, messages] of sent.slice(0, -1).entries())
		expect(sent[index + 1]?.slice(0, messages.length)).toEqual(messages);
});
