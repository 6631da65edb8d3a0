/** Tools of the conversation itself: the plan, and questions to the user. */

import { describe, expect, test } from "bun:test";
import { askChoice } from "../../lib/cli/runtime/ask-choice.ts";
import type { TerminalLines } from "../../lib/cli/runtime/terminal-lines.ts";
import type { AgentState } from "../../lib/registry/agent-state.ts";
import { dispatch } from "../../lib/registry/dispatch.ts";
import { createRegistry } from "../../lib/registry/registry.ts";
import type { Tool, ToolContext } from "../../lib/registry/tool.ts";
import clarify from "../../lib/tools/clarify.ts";
import todo from "../../lib/tools/todo.ts";

/** Calls a tool as the loop would, with `agent` as its state; without one it is called from elsewhere. */
async function call(tool: Tool, args: Readonly<Record<string, unknown>>, agent?: AgentState) {
	const { answer } = await dispatch({
		registry: createRegistry(new Map([[tool.name, tool]]), []),
		call: { name: tool.name, arguments: args },
		context: { signal: new AbortController().signal, ...(agent && { agent }) } as ToolContext,
		approve: async () => ({ approved: true }),
	});
	return JSON.parse(answer) as Record<string, unknown>;
}

describe("todo", () => {
	const step = (id: string, status: string, content = id) => ({ id, content, status });

	test("todo replaces the plan, reads it and counts it", async () => {
		const agent = { plan: { steps: [] } };
		const todos = [step("a", "completed"), step("b", "in_progress"), step("c", "pending"), step("d", "cancelled")];
		const plan = { todos, summary: { total: 4, pending: 1, in_progress: 1, completed: 1, cancelled: 1 } };
		expect(await call(todo, { todos }, agent)).toEqual(plan);
		expect(await call(todo, {}, agent)).toEqual(plan);
	});

	test("todo merges steps by id, keeps what is not said, and adds new ones at the end", async () => {
		const agent = { plan: { steps: [] } };
		await call(todo, { todos: [step("a", "in_progress", "first"), step("b", "pending")] }, agent);
		const { todos } = await call(
			todo,
			{ merge: true, todos: [{ id: "a", status: "completed" }, step("c", "pending")] },
			agent,
		);
		expect(todos).toEqual([step("a", "completed", "first"), step("b", "pending"), step("c", "pending")]);
	});

	test("todo says what it had to change", async () => {
		const agent = { plan: { steps: [] } };
		const todos = [
			step("a", "doing"),
			step("b", "in_progress"),
			step("b", "In_Progress"),
			{ content: "c", status: "in_progress" },
		];
		expect(await call(todo, { todos }, agent)).toMatchObject({
			todos: [step("a", "pending"), step("b", "in_progress"), step("4", "in_progress", "c")],
			warnings: [
				'Step "a" has the unknown status "doing"; use pending, in_progress, completed, cancelled',
				'Two steps have the id "b"; the last one stays',
				"2 steps are in_progress; work on one at a time",
			],
		});
		const { warnings } = await call(todo, { merge: true, todos: [{ content: "no id" }] }, agent);
		expect(warnings).toContain("A step without an id was left out: merge needs ids");
	});

	test("todo is refused where no loop is", async () => {
		expect(await call(todo, {})).toEqual({
			error: 'Cannot call "todo" here: it needs the agent\'s own state and works only inside a conversation',
		});
	});
});

describe("clarify", () => {
	/** A terminal at which somebody types `line`. */
	const terminal = (line: string | undefined): TerminalLines => ({
		ask: async () => line,
		askSecret: async () => undefined,
		listen: () => ({ [Symbol.dispose]() {} }),
		[Symbol.dispose]() {},
	});

	test.each([
		["1", "dev"],
		["2", "prod"],
		["3", "3"],
		["  both of them ", "both of them"],
	])("clarify gives what the user meant with %j", async (typed, meant) => {
		const ask: AgentState["ask"] = (choice) => askChoice(choice, terminal(typed), 0);
		expect(await call(clarify, { question: "Where?", choices: ["dev", " ", "prod"] }, { ask })).toEqual({
			question: "Where?",
			choices_offered: ["dev", "prod"],
			user_response: meant,
		});
	});

	test.each([[undefined], [" "]])("clarify takes %j as no answer", async (typed) => {
		const ask: AgentState["ask"] = (choice) => askChoice(choice, terminal(typed), 0);
		expect((await call(clarify, { question: "Where?" }, { ask })).error).toStartWith("The user gave no answer");
	});

	test("clarify without anybody there says so", async () => {
		expect((await call(clarify, { question: "Where?" }, {})).error).toStartWith("Cannot ask the user");
	});

	test("clarify refuses five choices", async () => {
		const ask: AgentState["ask"] = async () => "x";
		const { error } = await call(clarify, { question: "?", choices: ["1", "2", "3", "4", "5"] }, { ask });
		expect(error).toContain("at most 4 choices");
	});
});
