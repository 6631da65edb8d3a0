import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { AgentOptions } from "../../../lib/agent/agent.ts";
import { type CompressorOptions, createCompressor } from "../../../lib/agent/context/compressor.ts";
import { messagesTokens } from "../../../lib/agent/context/estimate.ts";
import { summaryBody, summaryMessage } from "../../../lib/agent/context/summary-message.ts";
import type { AgentEvent } from "../../../lib/agent/events.ts";
import { historyProblems } from "../../../lib/agent/history.ts";
import type { Message } from "../../../lib/base/conversation.ts";
import { openStore } from "../../../lib/store/database.ts";
import {
	asked,
	called,
	fill,
	result,
	rounds,
	said,
	compressionSettings as settings,
} from "../../support/long-conversation.ts";
import { callOf, type Step, scriptedAgent, scriptedModel } from "../../support/scripted-model.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const signal = new AbortController().signal;
/** A long conversation is summed up in several parts. */
const several = (step: Step): Step[] => Array(6).fill(step);
/** A compressor of a model with `window` tokens that answers `steps`, asked about `history`. */
function scene(
	history: readonly Message[],
	{
		window,
		steps = [],
		...rest
	}: { readonly window: number; readonly steps?: readonly Step[] } & Partial<CompressorOptions>,
) {
	const client = scriptedModel(steps);
	const events: AgentEvent[] = [];
	const compress = createCompressor({
		settings,
		windowOf: () => window,
		timeoutSeconds: 30,
		mask: (text) => text.replaceAll("hunter22", "***"),
		emit: (event) => void events.push(event),
		...rest,
	});
	const request = {
		why: "check" as const,
		messages: history,
		sessionId: "s",
		systemPrompt: "Be brief.",
		tools: [],
		outputTokens: undefined,
		route: { client, model: "m", providerId: "p" },
		promptTokens: undefined,
		contextTokens: undefined,
		signal,
	};
	return { compress, request, client, events };
}

const warnings = (events: readonly AgentEvent[]) =>
	events.flatMap((event) => (event.type === "warning" ? [event.message] : []));

describe("createCompressor()", () => {
	test("compress() leaves a conversation that fits, and sums up one that does not", async () => {
		const small = scene(rounds(2), { window: 8_192 });
		expect(await small.compress(small.request)).toBeUndefined();

		const history = rounds(24);
		const big = scene(history, { window: 8_192, steps: several({ content: "## Goal\nG" }) });
		const { messages = [] } = (await big.compress(big.request)) ?? {};
		expect(historyProblems(messages)).toEqual([]);
		expect(messages.slice(0, 3)).toEqual(history.slice(0, 3));
		expect(messages.at(-1)).toEqual(history.at(-1) as Message);
		expect(messages.filter((message) => message.role === "user" && message.origin === "summary")).toHaveLength(1);
		expect(messagesTokens(messages)).toBeLessThan(messagesTokens(history) / 2);
		const question = big.client.requests[0]?.messages.at(-1)?.content ?? "";
		expect(question).toContain("question 5");
		expect(big.events.map(({ type }) => type)).toEqual(["status"]);
	});

	test("compress() goes by what the provider counted, and waits for a number after it was at work (#36718)", async () => {
		const { compress, request, client } = scene(rounds(4), {
			window: 8_192,
			steps: several({ content: "S" }),
		});
		expect(await compress({ ...request, promptTokens: 3_000 })).toBeUndefined();
		const shorter = await compress({ ...request, promptTokens: 7_000 });
		expect(shorter).toBeDefined();
		const { length } = client.requests;
		const next = { ...request, messages: shorter?.messages ?? [] };
		expect(await compress(next)).toBeUndefined();
		expect(client.requests).toHaveLength(length);
	});

	test("compress() that is switched off does nothing by itself, but by hand with a focus", async () => {
		const off = { ...settings, enabled: false };
		const { compress, request, client } = scene(rounds(24), {
			window: 8_192,
			settings: off,
			steps: several({ content: "S" }),
		});
		expect(await compress(request)).toBeUndefined();
		expect(await compress({ ...request, why: "context_overflow" })).toBeUndefined();
		expect(await compress({ ...request, why: "manual", focus: "the parser" })).toBeDefined();
		expect(client.requests[0]?.messages.at(-1)?.content).toContain("<focus>the parser</focus>");
	});

	test("compress() by hand shortens what is far from its limits", async () => {
		const { compress, request } = scene(rounds(10), { window: 200_000, steps: several({ content: "S" }) });
		const { messages = [] } = (await compress({ ...request, why: "manual" })) ?? {};
		expect(messages.length).toBeLessThan(40);
		expect(historyProblems(messages)).toEqual([]);
	});

	test("compress() believes a model that refuses about its window", async () => {
		const { compress, request } = scene(rounds(24), { window: 200_000, steps: several({ content: "S" }) });
		const first = await compress({ ...request, why: "context_overflow", contextTokens: 8_000 });
		expect(messagesTokens(first?.messages ?? [])).toBeLessThan(6_000);
		const grown = [...(first?.messages ?? []), ...rounds(24)];
		expect(await compress({ ...request, messages: grown })).toBeDefined();
	});

	test("compress() of one huge result leaves a request that fits", async () => {
		const history = [...rounds(3), asked("read it"), called("x"), result("x", fill(100_000))];
		const { compress, request } = scene(history, { window: 8_192, steps: several({ content: "S" }) });
		const { messages = [] } = (await compress(request)) ?? {};
		expect(historyProblems(messages)).toEqual([]);
		expect(messagesTokens(messages)).toBeLessThan(6_144);
		expect(messages.some(({ content }) => content === "read it")).toBe(true);
	});

	test("compress() sums up a huge result that stands at the beginning", async () => {
		const little = Array.from({ length: 6 }, (_, index) => [asked(`question ${index}`), said("short")]).flat();
		const history = [asked("read it"), called("x"), result("x", fill(50_000)), said("Read."), ...little];
		const { compress, request } = scene(history, { window: 128_000, steps: several({ content: "S" }) });
		const { messages = [] } = (await compress({ ...request, why: "manual" })) ?? {};
		expect(historyProblems(messages)).toEqual([]);
		expect([messages[0], messages.at(-1)]).toEqual([asked("read it"), said("short")]);
		expect(messagesTokens(messages)).toBeLessThan(1_000);
	});

	test("compress() of ten giants saves most of them", async () => {
		const giants = Array.from({ length: 10 }, (_, index) =>
			(index % 2 === 0 ? asked : said)(`${index} ${fill(8_000)}`),
		);
		const { compress, request } = scene([...giants, asked("and now?")], {
			window: 16_000,
			steps: several({ content: "S" }),
		});
		const { messages = [] } = (await compress(request)) ?? {};
		expect(messages.at(-1)).toEqual(asked("and now?"));
		expect(messagesTokens(messages)).toBeLessThan(12_000);
	});

	test("compress() sums up again from the earlier summary and what came after it, without its frame", async () => {
		const { compress, request, client } = scene(
			[asked("start"), said("ok"), summaryMessage("THE OLD ONE"), ...rounds(24)],
			{
				window: 8_192,
				steps: several({ content: "THE NEW ONE" }),
			},
		);
		const { messages = [] } = (await compress(request)) ?? {};
		const [question = ""] = client.requests.map(({ messages }) => messages.at(-1)?.content ?? "");
		expect(question).toContain("<earlier_summary>\nTHE OLD ONE\n</earlier_summary>");
		const summaries = messages.filter((message) => message.role === "user" && message.origin === "summary");
		expect(summaries.map(({ content }) => summaryBody(content))).toEqual(["THE NEW ONE"]);
	});

	test("compress() masks secrets before they are sent to be summed up", async () => {
		const history = [asked("the password is hunter22"), said("ok"), asked("x"), ...rounds(24, 300)];
		const { compress, request, client } = scene(history, {
			window: 8_192,
			settings: { ...settings, protectFirst: 0 },
			steps: several({ content: "it was hunter22" }),
		});
		const { messages = [] } = (await compress(request)) ?? {};
		expect(JSON.stringify(client.requests)).not.toContain("hunter22");
		expect(JSON.stringify(messages)).not.toContain("hunter22");
	});

	test("compress() puts the plan into the summary, also when the user speaks next", async () => {
		const { compress, request } = scene([...rounds(24), asked("go on")], {
			window: 8_192,
			steps: several({ content: "S" }),
			plan: () => [{ id: "7", content: "ship it", status: "pending" }],
		});
		const { messages = [] } = (await compress(request)) ?? {};
		expect(messages.at(-1)).toEqual(asked("go on"));
		expect(messages.filter(({ content }) => content.includes("7: ship it")).map(({ role }) => role)).toEqual(["user"]);
	});

	test("compress() without a model that answers writes a summary itself, and asks none for a while", async () => {
		let now = 0;
		const { compress, request, client, events } = scene(rounds(24), {
			window: 8_192,
			steps: [{ refuse: "server_error" }, ...several({ content: "S" })],
			now: () => now,
		});
		const { messages = [] } = (await compress(request)) ?? {};
		expect(historyProblems(messages)).toEqual([]);
		expect(messages.map(({ content }) => content).join("\n")).toContain("No model could sum this up");
		expect(warnings(events)).toHaveLength(1);
		const grown = [...messages, ...rounds(24)];
		expect(await compress({ ...request, messages: grown })).toBeUndefined();
		expect(client.requests).toHaveLength(1);
		now = 61_000;
		expect(await compress({ ...request, messages: grown })).toBeDefined();
		expect(client.requests.length).toBeGreaterThan(1);
	});

	test("compress() leaves the conversation alone after a failure when the settings want that", async () => {
		const { compress, request, events } = scene(rounds(24), {
			window: 8_192,
			settings: { ...settings, abortOnFailure: true },
			steps: [{ refuse: "server_error" }],
		});
		expect(await compress(request)).toBeUndefined();
		expect(warnings(events)[0]).toContain("the conversation stays as it is");
	});

	test("compress() asks the conversation's own model when the one for summaries fails, and says so", async () => {
		const { compress, request, client, events } = scene(rounds(24), {
			window: 8_192,
			steps: several({ content: "from the own one" }),
			summariser: async () => ({
				client: scriptedModel([{ refuse: "model_not_found" }]),
				model: "cheap",
				window: 8_192,
				timeoutSeconds: 5,
			}),
		});
		expect(await compress(request)).toBeDefined();
		expect(client.requests.length).toBeGreaterThan(0);
		expect(warnings(events)[0]).toContain("auxiliary.compression");
	});

	test("compress() that saves nothing is not tried for ever (#40803)", async () => {
		const history = [asked("start"), said("ok"), asked(fill(40_000))];
		const { compress, request, client } = scene(history, { window: 8_192, steps: several({ content: "S" }) });
		const first = await compress(request);
		for (let time = 0; time < 5; time++)
			expect(await compress({ ...request, messages: first?.messages ?? history })).toBeUndefined();
		expect(client.requests.length).toBeLessThan(3);
	});

	test("compress() is stopped by the user and changes nothing", async () => {
		const stop = new AbortController();
		const { compress, request } = scene(rounds(24), { window: 8_192 });
		const client = {
			async *complete() {
				stop.abort(new Error("stopped"));
				await Bun.sleep(60_000);
				yield { type: "text" as const, text: "" };
			},
		};
		const route = { ...request.route, client };
		await expect(compress({ ...request, route, signal: stop.signal })).rejects.toThrow("stopped");
	});
});

describe("a compressed conversation that is kept", () => {
	const model = (): Step[] => [
		...Array.from({ length: 12 }, (_, index) => ({ content: `answer ${index} ${fill(2_000)}` })),
	];

	test("goes on in a session of its own, with the next title, its prompt made anew and pages forgotten", async () => {
		using folder = temporaryFolder();
		using store = openStore(join(folder.path, "state.db"));
		store.createSession({
			id: "s",
			source: "cli",
			model: "first",
			systemPrompt: "Be brief.",
			cwd: "/w",
			provider: "one",
		});
		store.setTitle("s", "report");
		const history = rounds(24);
		for (const message of history) store.appendMessage("s", message);
		let forgotten = 0;
		const events: AgentEvent[] = [];
		const client = scriptedModel([{ content: "done" }]);
		const summaries = scriptedModel(several({ content: "S" }));
		const compress = createCompressor({
			settings,
			windowOf: () => 8_192,
			timeoutSeconds: 30,
			mask: (text) => text,
			summariser: async () => ({ client: summaries, model: "cheap", window: 8_192, timeoutSeconds: 30 }),
			store,
			rebuildPrompt: async () => "Be brief. Anew.",
			onShortened: () => void forgotten++,
			emit: (event) => void events.push(event),
		});
		const { agent, events: shown } = scriptedAgent({ client, compress, store, history });
		const finished = await agent.runTurn("and now?", signal);
		expect(finished).toMatchObject({ ended: "answered", session_id: agent.sessionId });
		expect(agent.sessionId).not.toBe("s");
		expect(agent.systemPrompt).toBe("Be brief. Anew.");
		expect(client.requests[0]?.messages[0]).toEqual({ role: "system", content: "Be brief. Anew." });
		expect(forgotten).toBe(1);
		expect(store.getSession("s")).toMatchObject({ endReason: "compression" });
		expect(store.getSession(agent.sessionId)).toMatchObject({
			parentSessionId: "s",
			title: "report #2",
			systemPrompt: "Be brief. Anew.",
			model: "first",
			cwd: "/w",
			provider: "one",
		});
		expect(store.tipOf("s")).toBe(agent.sessionId);
		expect(store.compressionHolder("s")).toBeUndefined();
		expect(store.listMessages(agent.sessionId).map(({ message }) => message)).toEqual([...agent.messages]);
		expect(shown.find(({ type }) => type === "compressed")).toMatchObject({ session_id: agent.sessionId });
	});

	test("is begun once when two processes want it at the same time", async () => {
		using folder = temporaryFolder();
		const path = join(folder.path, "state.db");
		using one = openStore(path);
		using other = openStore(path);
		one.createSession({ id: "s", source: "cli" });
		const history = rounds(24);
		const begin = (store: typeof one) => {
			const { compress, request, events } = scene(history, { window: 8_192, store, steps: several({ content: "S" }) });
			return { done: compress(request), again: () => compress(request), events };
		};
		const first = begin(one);
		const second = begin(other);
		const outcomes = [await first.done, await second.done];
		expect(outcomes.map((outcome) => outcome !== undefined)).toEqual([true, false]);
		expect(warnings(second.events)).toHaveLength(1);
		// The one that comes later begins no second continuation either.
		expect(await second.again()).toBeUndefined();
		expect(one.listSessions()).toHaveLength(2);
	});

	test("is not begun when the lock was lost meanwhile, and is whole when it cannot be given back", async () => {
		using folder = temporaryFolder();
		using store = openStore(join(folder.path, "state.db"));
		store.createSession({ id: "s", source: "cli" });
		const steps = several({ content: "S" });
		const slept = scene(rounds(24), {
			...{ window: 8_192, store, steps },
			async rebuildPrompt() {
				store.releaseCompressionLock("s", store.compressionHolder("s") ?? "");
				store.takeCompressionLock("s", "another process");
				return "";
			},
		});
		expect(await slept.compress(slept.request)).toBeUndefined();
		expect(store.listSessions()).toHaveLength(1);

		store.releaseCompressionLock("s", "another process");
		const busy = {
			...store,
			releaseCompressionLock() {
				throw new Error("database is locked");
			},
		};
		const { compress, request } = scene(rounds(24), { window: 8_192, store: busy, steps });
		const compressed = await compress(request);
		expect(store.tipOf("s")).toBe(compressed?.sessionId ?? "");
		expect(store.listSessions()).toHaveLength(2);
	});

	test("a long turn is shortened as often as it needs, and one answer no more than three times", async () => {
		const look = (id: number): Step => ({ toolCalls: [callOf("look", { id }, `c${id}`)] });
		const overflow: Step = { refuse: "context_overflow" };
		const compress: AgentOptions["compress"] = async () => ({ messages: [asked("go on")] });
		const shortened = async (steps: readonly Step[]) => {
			const { agent, events } = scriptedAgent({ client: scriptedModel(steps), compress });
			const { ended } = await agent.runTurn("go", signal);
			return [ended, events.filter(({ type }) => type === "compressed").length];
		};
		expect(await shortened([1, 2, 3, 4].map(look).concat({ content: "done" }))).toEqual(["answered", 5]);
		expect(await shortened(Array(9).fill(overflow))).toEqual(["failed", 3]);
	});

	test("by hand: compress() of an agent gives what was kept, and false when there is nothing", async () => {
		const client = scriptedModel([...model().slice(0, 1), { content: "S" }]);
		const options: Partial<AgentOptions> = { history: rounds(8) };
		const compress = createCompressor({
			settings,
			windowOf: () => 200_000,
			timeoutSeconds: 30,
			mask: (text) => text,
			emit() {},
		});
		const { agent } = scriptedAgent({ client, compress, ...options });
		await agent.runTurn("hello", signal);
		expect(await agent.compress("names", signal)).toBe(true);
		expect(historyProblems(agent.messages)).toEqual([]);
		const { agent: fresh } = scriptedAgent({ client, compress });
		expect(await fresh.compress(undefined, signal)).toBe(false);
	});
});
