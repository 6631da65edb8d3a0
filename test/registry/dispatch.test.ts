/** One call from its text to its answer, whatever goes wrong. */

import { describe, expect, test } from "bun:test";
import { z } from "zod";
import { BackendUnavailable } from "../../lib/environments/backend.ts";
import { type DispatchOptions, dispatch } from "../../lib/registry/dispatch.ts";
import { createRegistry } from "../../lib/registry/registry.ts";
import { defineTool, type ToolContext, toolError, toolResult } from "../../lib/registry/tool.ts";
import type { ApprovalRequest } from "../../lib/security/approval/request.ts";
import type { Approve } from "../../lib/security/approval.ts";

const context: ToolContext = {
	sessionId: "s",
	taskId: "t",
	signal: new AbortController().signal,
	execute: () => Promise.reject(new BackendUnavailable("Cannot reach the sandbox: it is gone")),
	cwd: "/srv",
	ranOn: "local",
};

const shared = { toolset: "x", description: "…" };
const registry = createRegistry([
	defineTool({
		...shared,
		name: "echo",
		args: z.object({ text: z.string(), count: z.int().min(1).default(1), kind: z.enum(["a", "b"]).default("a") }),
		run: async (args) => toolResult({ ...args, error: null }),
	}),
	defineTool({
		...shared,
		name: "throws",
		args: z.object({ what: z.string() }),
		run: ({ what }) => Promise.reject(new Error(what)),
	}),
	defineTool({
		...shared,
		name: "refuses",
		args: z.object({}),
		run: async () => toolError("no <|im_end|>way", { code: 7 }),
	}),
	defineTool({
		...shared,
		name: "runs",
		args: z.object({}),
		run: async (_, { execute }) => toolResult({ ...(await execute("x")) }),
	}),
	defineTool({
		...shared,
		name: "asks",
		args: z.object({ command: z.string() }),
		refusal: { output: "" },
		approval: ({ command }) => ({ kind: "command", command }),
		run: async () => toolResult({ ran: true }),
	}),
	defineTool({ ...shared, name: "todo", args: z.object({}), scope: "agent", run: async () => toolResult({}) }),
	defineTool({
		...shared,
		name: "large",
		args: z.object({ value: z.unknown() }),
		resultLimit: 2_000,
		run: async ({ value }) => toolResult({ value, exit_code: 3 }),
	}),
]);

const yes: Approve = async () => ({ approved: true });

async function call(name: string, args: string | Record<string, unknown>, more: Partial<DispatchOptions> = {}) {
	const { answer, isError, denied, durationMs } = await dispatch({
		registry,
		call: { name, arguments: args },
		context,
		approve: yes,
		...more,
	});
	expect(durationMs).toBeGreaterThanOrEqual(0);
	return { answer: JSON.parse(answer), isError, denied };
}

const failure = (error: string, more = {}) => ({ answer: { error, ...more }, isError: true, denied: false });

describe("dispatch()", () => {
	test("parses the text, fills in defaults and runs", async () => {
		const expected = { answer: { text: "x", count: 1, kind: "a", error: null }, isError: false, denied: false };
		expect(await call("echo", '{"text":"x"}')).toEqual(expected);
		expect(await call("echo", { text: "x" })).toEqual(expected);
	});

	test("names the nearest tool for an unknown one", async () => {
		expect(await call("ecko", {})).toEqual(failure('Cannot call "ecko": no tool has that name; did you mean "echo"?'));
		expect((await call("qqqqqqqqqq", {})).answer.error).toContain("the tools are asks, echo");
	});

	test("never runs arguments that were cut off", async () => {
		const { answer, isError } = await call("asks", '{"command":"rm -rf /tmp/x');
		expect({ isError, error: answer.error }).toEqual({
			isError: true,
			error: expect.stringContaining("not valid JSON"),
		});
	});

	test.each(["[]", "null", "3", '"x"'])("refuses arguments that are %s", async (text) => {
		expect((await call("echo", text)).answer.error).toContain("must be a JSON object");
	});

	test("takes no text at all as no arguments", async () => {
		expect((await call("refuses", "  ")).answer.code).toBe(7);
	});

	test("lists everything that is wrong with the arguments", async () => {
		expect(await call("echo", { count: 0, kind: "z", txt: "x" })).toEqual(
			failure(
				[
					'Cannot call "echo": 4 problems with its arguments (text, count, kind)',
					"- text: missing, expected string",
					"- count: Too small: expected number to be >=1",
					'- kind: expected one of "a"|"b"',
					"- txt: not an argument of this tool",
				].join("\n"),
			),
		);
		expect((await call("echo", { text: 3, count: 1.5 })).answer.error).toContain(
			"- text: expected string, got number\n- count: expected int, got number",
		);
	});

	test("asks for approval after the arguments are known to be right, and runs nothing when denied", async () => {
		const asked: ApprovalRequest[] = [];
		const approve: Approve = async (request) => {
			asked.push(request);
			return { approved: false, reason: "The user denied it" };
		};
		expect(await call("asks", {}, { approve })).toMatchObject({ isError: true, denied: false });
		expect(asked).toEqual([]);
		expect(await call("asks", { command: "ls" }, { approve })).toEqual({
			answer: { error: "The user denied it", output: "", status: "blocked" },
			isError: true,
			denied: true,
		});
		expect(asked).toEqual([{ kind: "command", command: "ls" }]);
		expect(await call("echo", { text: "x" }, { approve })).toMatchObject({ denied: false, isError: false });
	});

	test("refuses tools outside the session's selection and tools of the agent", async () => {
		const outside = await call("echo", { text: "x" }, { allowed: new Set(["asks"]) });
		expect(outside).toEqual(failure('Cannot call "echo": it is not enabled in this session; the tools are asks'));
		expect((await call("todo", {})).answer.error).toContain("needs the agent's own state");
	});

	test("catches what a tool throws, cleans it and cuts it", async () => {
		expect(await call("throws", { what: "bad </tool_call>thing" })).toEqual(
			failure('Tool "throws" failed: bad thing', { error_type: "tool_failed" }),
		);
		expect((await call("throws", { what: "x".repeat(9_000) })).answer.error).toHaveLength(2_000);
	});

	test("cleans the error of an answer and keeps its other keys", async () => {
		expect(await call("refuses", {})).toEqual(failure("no way", { code: 7 }));
	});

	test("tells a broken sandbox from a failing command", async () => {
		expect(await call("runs", {})).toEqual(
			failure("Cannot reach the sandbox: it is gone", { error_type: "backend_unavailable" }),
		);
	});

	test("says that the user interrupted", async () => {
		const signal = AbortSignal.abort();
		expect(await call("throws", { what: "x" }, { context: { ...context, signal } })).toEqual(
			failure("The user interrupted this call", { error_type: "interrupted" }),
		);
	});
});

describe("dispatch() cuts a long answer and keeps it valid JSON", () => {
	test("in a long text", async () => {
		const { answer } = await call("large", { value: `start${"x".repeat(10_000)}end` });
		expect(answer).toEqual({
			value: expect.stringMatching(/^startx+\n\n\[\d+ of 10008 characters cut here\]\n\nx+end$/),
			exit_code: 3,
		});
		expect(JSON.stringify(answer).length).toBeLessThanOrEqual(2_000);
	});

	test.each([
		["quotes, which JSON doubles", { value: '"'.repeat(10_000) }],
		["control characters", { value: "\u0001".repeat(10_000) }],
		["surrogate pairs", { value: "😀".repeat(5_000) }],
		[
			"many texts",
			{ value: Array.from({ length: 500 }, (_, index) => ({ path: `f${index}`, content: "y".repeat(50) })) },
		],
		["numbers", { value: Array.from({ length: 5_000 }, (_, index) => index) }],
		["nested objects", { value: { a: { b: ["z".repeat(5_000), "short"] } } }],
		[
			"keys without end",
			{ value: Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`key${index}`, 1])) },
		],
	])("of %s", async (_, args) => {
		const { answer } = await dispatch({ registry, call: { name: "large", arguments: args }, context, approve: yes });
		expect(answer.length).toBeLessThanOrEqual(2_000);
		expect(answer.isWellFormed()).toBe(true);
		expect(answer).toMatch(/cut here|cannot be cut/);
		JSON.parse(answer);
	});

	test("and leaves short texts beside a long one whole", async () => {
		const { answer } = await call("large", { value: { a: "keep me", b: "x".repeat(9_000) } });
		expect(answer.value.a).toBe("keep me");
	});
});
