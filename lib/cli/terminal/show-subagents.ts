/** Sub-agents on the screen: one line for each while it works, and one when it is done. */

import type { Component } from "@earendil-works/pi-tui";
import type { AgentEvent } from "../../agent/events.ts";
import { printable } from "../runtime/paint.ts";
import { liveBlock } from "./blocks.ts";
import type { LivePart, Screen } from "./screen.ts";

type Subagent = Extract<AgentEvent, { type: "subagent" }>;

/** Sub-agents that are shown at once; of more only the number. */
const shownAgents = 8;
const goalLength = 60;

/** A function that shows what each sub-agent does. */
export function createSubagentView(screen: Screen): (event: Subagent) => void {
	const working = new Map<string, Subagent>();
	let part: LivePart | undefined;
	const component: Component = liveBlock(screen.pi, () => {
		const agents = [...working.values()];
		const lines = agents.slice(0, shownAgents).map((agent) => lineOf(agent, screen));
		const more = agents.length - lines.length;
		return ["", ...lines, ...(more > 0 ? [screen.theme.dim(`  … ${more} more sub-agents`)] : [])];
	});
	return (event) => {
		if (event.event === "finished") {
			working.delete(event.subagent_id);
			screen.addLines([lineOf(event, screen)], { indent: "    " });
		} else {
			// What it said last is no reason to forget which tool it called last.
			const tool = event.tool ?? working.get(event.subagent_id)?.tool;
			working.set(event.subagent_id, { ...event, ...(tool !== undefined && { tool }) });
			part ??= screen.live(component);
		}
		part?.changed();
		if (working.size > 0) return;
		part?.[Symbol.dispose]();
		part = undefined;
	};
}

function lineOf(event: Subagent, { theme }: Pick<Screen, "theme">): string {
	const isOver = event.event === "finished";
	const isGood = event.status === "completed";
	const mark = isOver ? markOf(isGood, theme) : theme.accent("▹");
	const goal = printable(event.goal.length > goalLength ? `${event.goal.slice(0, goalLength - 1)}…` : event.goal);
	const name = event.task_count > 1 ? `${event.task_index + 1}/${event.task_count} ` : "";
	const facts = [
		...(isOver && !isGood ? [event.status] : []),
		...(!isOver && event.tool !== undefined ? [event.tool] : []),
		`${event.tool_calls} calls`,
		`${Math.round(event.duration_ms / 1000)} s`,
	];
	return `${"  ".repeat(event.depth)}${mark} ${name}${goal} ${theme.dim(printable(facts.join(" · ")))}`;
}

function markOf(isGood: boolean, theme: Screen["theme"]): string {
	return isGood ? theme.good("✓") : theme.bad("✗");
}
