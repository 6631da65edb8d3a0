/** What the settings and the tools say about the agent's loop. */

import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { AgentOptions, CallTraits } from "../../agent/agent.ts";
import type { GuardrailSettings } from "../../agent/calls/guardrails.ts";
import { createSpending, type Spending, totalTokens } from "../../agent/spending.ts";
import { attempt } from "../../base/attempt.ts";
import type { ToolCall } from "../../base/conversation.ts";
import { longestTimerSeconds } from "../../base/longest-timer.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { decodeArguments } from "../../registry/arguments/parse-arguments.ts";
import type { Registry } from "../../registry/registry.ts";
import type { ToolContext } from "../../registry/tool.ts";
import type { StoredSession } from "../../store/store.ts";
import type { Place } from "./open-place.ts";

/** What a session's loop goes by. */
export interface LoopParts {
	readonly config: LoadedConfig;
	readonly registry: Registry;
	readonly place: Place;
	/** The names that may be called now. */
	allowed(): ReadonlySet<string>;
}

/** The options of an agent that follow from settings and tools. */
export function loopOptions({
	config,
	registry,
	place,
	allowed,
}: LoopParts): Pick<AgentOptions, "traitsOf" | "knowsTool" | "limits" | "guardrails" | "effort"> {
	const effort = config.get("agent.reasoning_effort");
	const maxOutputTokens = config.get("model.max_tokens");
	const idleSeconds = config.get("agent.idle_timeout");
	return {
		traitsOf: (call) => traitsOf(call, registry, place),
		knowsTool: (name) => allowed().has(name),
		limits: {
			attempts: Math.max(1, config.get("agent.api_max_retries")),
			...(maxOutputTokens > 0 && { maxOutputTokens }),
			...(idleSeconds > 0 && { idleMs: Math.min(idleSeconds, longestTimerSeconds) * 1000 }),
		},
		guardrails: guardrailsOf(config),
		...(effort !== "" && { effort }),
	};
}

/** The limits of a session, and what it has spent already when it goes on. */
export function sessionSpending(config: LoadedConfig, past: StoredSession | undefined): Spending {
	const maxCostMicroUsd = Math.round(config.get("agent.max_cost_usd") * 1_000_000);
	const maxTotalTokens = config.get("agent.max_total_tokens");
	return createSpending(
		{ ...(maxCostMicroUsd > 0 && { maxCostMicroUsd }), ...(maxTotalTokens > 0 && { maxTotalTokens }) },
		past && { costMicroUsd: Math.round((past.costUsd ?? 0) * 1_000_000), tokens: totalTokens(past.usage) },
	);
}

function traitsOf(call: ToolCall, registry: Registry, place: Place): CallTraits | undefined {
	const tool = registry.get(call.name);
	if (tool === undefined) return undefined;
	const { readOnly, loop } = tool;
	const traits = { ...loop, ...(readOnly !== undefined && { readOnly }) };
	if (loop?.isConfined !== true) return traits;
	const changes = attempt(() => {
		const decoded = decodeArguments(call.name, call.arguments);
		return decoded.ok ? tool.edits?.(tool.args.parse(decoded.args), contextOf(place)) : undefined;
	});
	// A call whose files are not known runs alone.
	if (!changes.ok || changes.value === undefined) return traits;
	return { ...traits, changes: place.sharesHostFiles ? changes.value.map(realPath) : changes.value };
}

/** Only to be asked for paths: nothing is run in it. */
function contextOf({ shell }: Place): ToolContext {
	return {
		sessionId: "",
		taskId: "",
		signal: AbortSignal.abort(),
		execute: (command, options) => shell.execute(command, { ...options, signal: AbortSignal.abort() }),
		cwd: shell.cwd,
		ranOn: shell.ranOn,
	};
}

/** Two names of one file are one file. What is not there yet is looked up by the folder that is. */
function realPath(path: string): string {
	const real = attempt(() => realpathSync(path));
	if (real.ok) return real.value;
	const parent = dirname(path);
	return parent === path ? path : join(realPath(parent), basename(path));
}

function guardrailsOf(config: LoadedConfig): GuardrailSettings {
	const warnAt = {
		exactFailure: config.get("tool_loop_guardrails.warn_after.exact_failure"),
		sameToolFailure: config.get("tool_loop_guardrails.warn_after.same_tool_failure"),
		sameAnswer: config.get("tool_loop_guardrails.warn_after.idempotent_no_progress"),
	};
	const stopAt = {
		exactFailure: config.get("tool_loop_guardrails.hard_stop_after.exact_failure"),
		sameToolFailure: config.get("tool_loop_guardrails.hard_stop_after.same_tool_failure"),
		sameAnswer: config.get("tool_loop_guardrails.hard_stop_after.idempotent_no_progress"),
	};
	return {
		...(config.get("tool_loop_guardrails.warnings_enabled") && { warnAt }),
		...(config.get("tool_loop_guardrails.hard_stop_enabled") && { stopAt }),
	};
}
