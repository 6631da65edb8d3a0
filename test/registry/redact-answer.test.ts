/** Secrets in the answers of tools. */

import { expect, test } from "bun:test";
import { z } from "zod";
import { dispatch } from "../../lib/registry/dispatch.ts";
import { createRegistry } from "../../lib/registry/registry.ts";
import { createResultBudget } from "../../lib/registry/results/result-budget.ts";
import { defineTool, type Tool, type ToolContext, toolError, toolResult } from "../../lib/registry/tool.ts";
import { createApprover } from "../../lib/security/approval.ts";
import { createRedactor } from "../../lib/security/redact.ts";

const key = `-----BEGIN PRIVATE KEY-----\n${"MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj\n".repeat(40)}-----END PRIVATE KEY-----`;
const data = {
	text: "line\nTOKEN=abcdef",
	token: "abc",
	next_page_token: "abc",
	list: ["sk-abcdefghijklmnopqrst", 1, null],
	program: 'const token = "abc";',
	link: "https://h/login?token=magic",
	known: "a known value",
};

const toolOf = (answer: Tool["run"], more: Partial<Tool> = {}) =>
	({
		...defineTool({ name: "shows", toolset: "file", description: "Shows.", args: z.object({}), run: answer }),
		...more,
	}) as Tool;

function call(tool: Tool, context: Partial<ToolContext> = {}, more = {}) {
	return dispatch({
		registry: createRegistry([tool]),
		call: { name: "shows", arguments: {} },
		context: {
			sessionId: "s",
			taskId: "t",
			signal: new AbortController().signal,
			execute: () => Promise.reject(new Error("there is no shell")),
			cwd: "/",
			ranOn: "local",
			redact: createRedactor(["a known value"]),
			...context,
		},
		approve: createApprover({ mode: "yolo" }),
		...more,
	});
}

test("dispatch() masks secrets wherever they stand in an answer", async () => {
	const { answer } = await call(toolOf(async () => toolResult(data)));
	expect(JSON.parse(answer)).toEqual({
		...data,
		text: "line\nTOKEN=***",
		token: "***",
		list: ["sk-abc...qrst", 1, null],
		program: 'const token = "***";',
		known: "***",
	});
});

test("dispatch() leaves assignments and fields of files alone, but no known shape or value", async () => {
	const { answer } = await call(toolOf(async () => toolResult(data), { showsFiles: true }));
	expect(JSON.parse(answer)).toEqual({ ...data, list: ["sk-abc...qrst", 1, null], known: "***" });
});

test("dispatch() masks errors and what is thrown", async () => {
	const answers = [
		await call(toolOf(async () => toolError("refused: password=abc1"))),
		await call(toolOf(() => Promise.reject(new Error("refused: password=abc1")))),
	];
	for (const { answer, isError } of answers) {
		expect([answer.includes("abc1"), answer.includes("***"), isError]).toEqual([false, true, true]);
	}
});

test("dispatch() masks before it cuts: no half of a private key is left", async () => {
	for (let before = 60; before < 90; before += 3) {
		const text = `${"x".repeat(before)}\n${key}\n${"y".repeat(400)}`;
		const { answer } = await call(toolOf(async () => toolResult({ text }), { resultLimit: 300 }));
		expect([before, answer.includes("MIIE")]).toEqual([before, false]);
	}
});

test("dispatch() saves no secret either", async () => {
	const saved: unknown[] = [];
	const budget = createResultBudget({ limits: { shows: 500 } });
	const execute: ToolContext["execute"] = async (_command, options) => {
		saved.push(options?.stdin);
		throw new Error("the disk is full");
	};
	await call(
		toolOf(async () => toolResult({ text: `${key}\n${"y\n".repeat(900)}` })),
		{ execute },
		{ budget },
	);
	expect([saved.length, saved.some((text) => String(text).includes("MIIE"))]).toEqual([1, false]);
});

test("dispatch() gives a program everything: it goes on working with it", async () => {
	const { answer } = await call(
		toolOf(async () => toolResult(data)),
		{},
		{ isProgram: true },
	);
	expect(JSON.parse(answer)).toEqual(data);
});
