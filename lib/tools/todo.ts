/** The tool that keeps the plan of a task. */

import { z } from "zod";
import type { PlanStep } from "../registry/agent-state.ts";
import { defineTool, toolError, toolResult } from "../registry/tool.ts";

/** Steps a plan may have, and characters of one; a plan is read with every answer. */
const mostSteps = 256;
const longestStep = 4000;

const statuses = ["pending", "in_progress", "completed", "cancelled"] as const;

const sentStep = z.object({
	id: z.string().optional().describe("Names the step; needed with merge"),
	content: z.string().optional().describe("What is to be done"),
	status: z.string().optional().describe(statuses.join(" | ")),
});

type SentStep = z.output<typeof sentStep>;

export default defineTool({
	name: "todo",
	toolset: "todo",
	loop: { isHousekeeping: true },
	description: [
		"Keep the plan of a task with three or more steps. Call it without arguments to read the plan, with todos to write it.",
		"Order is priority. One step is in_progress at a time; mark it completed at once when it is done, cancelled when it turns out needless, and add what you discover.",
	].join(" "),
	args: z.object({
		todos: z
			.array(sentStep)
			.max(mostSteps)
			.optional()
			.describe("The whole plan, or with merge only the steps that change"),
		merge: z
			.boolean()
			.default(false)
			.describe("Change the steps with these ids and add new ones; else the plan is replaced"),
	}),
	scope: "agent",

	async run({ todos, merge }, { agent }) {
		const plan = agent?.plan;
		if (plan === undefined) return toolError("Cannot use todo: this session has no plan");
		if (todos === undefined) return shown(plan.steps, []);
		const warnings: string[] = [];
		const steps = merge ? merged(plan.steps, todos, warnings) : replaced(todos, warnings);
		if (steps.length > mostSteps)
			return toolError(`Cannot keep ${steps.length} steps: a plan has ${mostSteps} at most`);
		plan.steps = steps;
		const running = steps.filter(({ status }) => status === "in_progress").length;
		if (running > 1) warnings.push(`${running} steps are in_progress; work on one at a time`);
		return shown(steps, warnings);
	},
});

/** The last of two steps with one id counts; a step without an id gets its place as one. */
function replaced(sent: readonly SentStep[], warnings: string[]): PlanStep[] {
	const steps = new Map<string, PlanStep>();
	for (const [at, step] of sent.entries()) {
		const id = idOf(step) ?? String(at + 1);
		if (steps.delete(id)) warnings.push(`Two steps have the id ${JSON.stringify(id)}; the last one stays`);
		steps.set(id, { id, content: contentOf(step.content), status: statusOf(step, warnings) ?? "pending" });
	}
	return [...steps.values()];
}

function merged(known: readonly PlanStep[], sent: readonly SentStep[], warnings: string[]): PlanStep[] {
	const steps = new Map(known.map((step) => [step.id, step]));
	for (const step of sent) {
		const id = idOf(step);
		if (id === undefined) {
			warnings.push("A step without an id was left out: merge needs ids");
			continue;
		}
		const old = steps.get(id);
		steps.set(id, {
			id,
			content: step.content === undefined && old ? old.content : contentOf(step.content),
			status: statusOf(step, warnings) ?? old?.status ?? "pending",
		});
	}
	return [...steps.values()];
}

function idOf({ id }: SentStep): string | undefined {
	const trimmed = id?.trim();
	return trimmed === "" ? undefined : trimmed;
}

function contentOf(content: string | undefined): string {
	const trimmed = content?.trim() ?? "";
	return trimmed === "" ? "(no description)" : trimmed.slice(0, longestStep);
}

function statusOf({ status, id }: SentStep, warnings: string[]): PlanStep["status"] | undefined {
	const sent = status?.trim().toLowerCase();
	const known = statuses.find((name) => name === sent);
	if (sent !== undefined && known === undefined) {
		warnings.push(
			`Step ${JSON.stringify(id ?? "")} has the unknown status ${JSON.stringify(status)}; use ${statuses.join(", ")}`,
		);
	}
	return known;
}

function shown(steps: readonly PlanStep[], warnings: readonly string[]) {
	const count = (status: PlanStep["status"]) => steps.filter((step) => step.status === status).length;
	return toolResult({
		todos: steps,
		summary: { total: steps.length, ...Object.fromEntries(statuses.map((status) => [status, count(status)])) },
		warnings: warnings.length === 0 ? undefined : warnings,
	});
}
