/** Questions of servers to the user, asked by a real server of the SDK through a real client. */

import { expect, setDefaultTimeout, test } from "bun:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { ElicitRequestFormParams, ElicitRequestURLParams } from "@modelcontextprotocol/sdk/types.js";
import { silentLogger } from "../../../lib/log/logger.ts";
import { createElicitation } from "../../../lib/mcp/elicitation/elicitation.ts";
import type { AskUser, UserChoice } from "../../../lib/registry/agent-state.ts";

setDefaultTimeout(30_000);

type Properties = ElicitRequestFormParams["requestedSchema"]["properties"];

/** A server with a user who types `answers`, one for each question; undefined is no answer. */
async function scene(answers: readonly (string | undefined)[], written: object = {}) {
	const asked: UserChoice[] = [];
	let pauses = 0;
	const ask: AskUser = async (choice) => {
		asked.push(choice);
		return answers[asked.length - 1];
	};
	return { ...(await connect({ written, ask: () => ask, onPause: () => pauses++ })), asked, pauses: () => pauses };
}

async function connect({ written, ask, onPause }: { written: object; ask(): AskUser | undefined; onPause?(): void }) {
	const feature = createElicitation({ server: "s", written, ask, log: silentLogger });
	const client = new Client({ name: "test", version: "1" }, { capabilities: feature?.capabilities ?? {} });
	await feature?.attach(client, {
		signal: new AbortController().signal,
		async whilePaused(wait) {
			onPause?.();
			return await wait();
		},
	});
	const server = new Server({ name: "s", version: "1" }, { capabilities: {} });
	const [near, far] = InMemoryTransport.createLinkedPair();
	await Promise.all([server.connect(far), client.connect(near)]);
	return {
		server,
		form: (properties: Properties, required: string[] = []) =>
			server.elicitInput({ message: "Who are you?", requestedSchema: { type: "object", properties, required } }),
		page: (url: string) =>
			server.elicitInput({ mode: "url", message: "Pay", url, elicitationId: "1" } satisfies ElicitRequestURLParams),
	};
}

test("questions that come faster than anybody can answer are declined without asking", async () => {
	const { promise, resolve } = Promise.withResolvers<void>();
	let asked = 0;
	const ask: AskUser = async () => {
		asked++;
		await promise;
		return "decline";
	};
	const { page } = await connect({ written: {}, ask: () => ask });
	const first = Array.from({ length: 3 }, () => page("https://pay.example/"));
	const others = await Promise.all(Array.from({ length: 5 }, () => page("https://pay.example/")));
	expect([asked, ...new Set(others.map(({ action }) => action))]).toEqual([3, "decline"]);
	resolve();
	await Promise.all(first);
	for (let count = 0; count < 10; count++) await page("https://pay.example/");
	expect(asked).toBe(10);
});

const every = {
	name: { type: "string", title: "Name", description: "as in your passport", minLength: 2 },
	mail: { type: "string", format: "email" },
	age: { type: "integer", minimum: 18, maximum: 99 },
	agreed: { type: "boolean" },
	size: {
		type: "string",
		oneOf: [
			{ const: "s", title: "Small" },
			{ const: "l", title: "Large" },
		],
	},
	colours: { type: "array", items: { type: "string", enum: ["red", "green"] }, maxItems: 2 },
	nick: { type: "string", default: "none" },
	note: { type: "string", description: "no passwords please" },
} satisfies Properties;

test("a form is gone through field by field; what does not fit is asked again", async () => {
	const answers = ["answer", "A", "Ada", "ada@example", "ada@example.org", "17", "36", "maybe", "yes", "Large"];
	const more = ["red, blue", "red, green", "as proposed: none", "leave it out"];
	const { form, asked, pauses } = await scene([...answers, ...more]);
	expect(await form(every, ["name", "mail", "age", "agreed", "size", "colours"])).toEqual({
		action: "accept",
		content: {
			name: "Ada",
			mail: "ada@example.org",
			age: 36,
			agreed: true,
			size: "l",
			colours: ["red", "green"],
			nick: "none",
		},
	});
	expect(asked[0]?.question).toStartWith('MCP server "s" asks: Who are you?\n    Name: as in your passport\n');
	expect(asked[0]?.question).toContain("note: no passwords please (optional)");
	expect(asked[2]).toMatchObject({
		question: "1 of 8: Name: as in your passport\n    it must have 2 characters at least",
		choices: ["decline"],
	});
	expect(asked.map(({ question }) => question.split("\n    ")[1]).filter((line) => line?.startsWith("it "))).toEqual([
		"it must have 2 characters at least",
		"it is no email",
		"it must be 18 or more",
		"it must be yes or no",
		"it must be one of red, green",
	]);
	expect(asked[9]?.choices).toEqual(["Small", "Large", "decline"]);
	expect(pauses()).toBe(1);
});

test("a form of one field is one question; the user can decline, or give no answer", async () => {
	const field = { size: { type: "string", enum: ["s", "l"], enumNames: ["Small", "Large"] } } satisfies Properties;
	const one = await scene(["Small"]);
	expect(await one.form(field, ["size"])).toEqual({ action: "accept", content: { size: "s" } });
	expect(one.asked.map(({ question, choices }) => ({ question, choices }))).toEqual([
		{ question: 'MCP server "s" asks: Who are you?\n    size', choices: ["Small", "Large", "decline"] },
	]);
	expect(await (await scene(["decline"])).form(field)).toEqual({ action: "decline" });
	expect(await (await scene([undefined])).form(field)).toEqual({ action: "cancel" });
	expect(await (await scene(["x", "y", "z"])).form(field, ["size"])).toEqual({ action: "cancel" });
	expect(await (await scene(["decline"])).form(every)).toEqual({ action: "decline" });
	expect(await (await scene(["accept"])).form({})).toEqual({ action: "accept", content: {} });
});

test.each(["password", "apiKey", "access_token", "Your PIN"])(
	"a form that asks for %s is declined unseen",
	async (name) => {
		const { form, asked } = await scene(["hunter2"]);
		expect(await form({ [name]: { type: "string" } })).toEqual({ action: "decline" });
		expect(asked).toEqual([]);
	},
);

test("a page is shown with where it leads, and opened by nobody but the user", async () => {
	const { page, asked } = await scene(["I have opened it", "decline", undefined]);
	expect(await page("https://pаypal.example/x")).toEqual({ action: "accept" });
	expect(asked[0]?.question).toBe(
		'MCP server "s" asks you to open a page of xn--pypal-4ve.example: Pay\n    https://xn--pypal-4ve.example/x',
	);
	expect(await page("https://example.org/")).toEqual({ action: "decline" });
	expect(await page("http://localhost:1/")).toEqual({ action: "cancel" });
	for (const url of ["http://example.org/", "file:///etc/passwd", "https://bank.example@evil.example/"]) {
		expect(await page(url)).toEqual({ action: "decline" });
	}
	expect(asked).toHaveLength(3);
});

test("nobody can be asked: it is declined at once", async () => {
	const { form } = await connect({ written: {}, ask: () => undefined });
	expect(await form({ name: { type: "string" } })).toEqual({ action: "decline" });
});

test("a question that nobody answers in time is cancelled, and so is one that the server takes back", async () => {
	const waits: AskUser = ({ signal }) =>
		new Promise((resolve) => signal.addEventListener("abort", () => resolve("too late")));
	const { form } = await connect({ written: { timeout: 0.1 }, ask: () => waits });
	expect(await form({ name: { type: "string" } })).toEqual({ action: "cancel" });
	const { promise: ended, resolve } = Promise.withResolvers<void>();
	const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
	const told: AskUser = ({ signal }) => {
		begin();
		return new Promise((answer) =>
			signal.addEventListener("abort", () => {
				resolve();
				answer(undefined);
			}),
		);
	};
	const { server } = await connect({ written: {}, ask: () => told });
	// The SDK does not take back a request whose number is 0.
	await server.ping();
	const stop = new AbortController();
	const params = {
		message: "x",
		requestedSchema: { type: "object" as const, properties: { a: { type: "string" as const } } },
	};
	const asking = server.elicitInput(params, { signal: stop.signal }).catch(String);
	await begun;
	stop.abort(new Error("never mind"));
	expect(await asking).toContain("never mind");
	await ended;
});

test("switched off, it is not offered; wrong settings are named", async () => {
	const options = { server: "s", ask: () => undefined, log: silentLogger };
	expect(createElicitation({ ...options, written: { enabled: "no" } })).toBeUndefined();
	expect(() => createElicitation({ ...options, written: { timeout: -1 } })).toThrow(
		"Cannot read mcp_servers.s.elicitation: timeout: ",
	);
});
