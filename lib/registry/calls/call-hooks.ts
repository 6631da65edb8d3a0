/** What hooks are told of a call, and what they may say about it. */

import type { DispatchOptions } from "../dispatch.ts";
import { middlewareVersion, observerVersion, type Payload } from "../hooks.ts";
import { answerFrom, type Tool, type ToolAnswer } from "../tool.ts";

/** A call whose arguments are settled. */
export interface SettledCall {
	readonly options: DispatchOptions;
	readonly tool: Tool;
	readonly args: Readonly<Record<string, unknown>>;
}

/** How a call ended, for those who watch. */
export interface CallEnd {
	readonly status: "ok" | "error" | "blocked" | "denied";
	readonly answer: ToolAnswer;
	readonly durationMs: number;
	readonly errorType?: string;
}

/** Whose call it is: the part that every payload has. */
export function identity({ context }: DispatchOptions, tool: Tool): Payload {
	return {
		telemetry_schema_version: observerVersion,
		middleware_schema_version: middlewareVersion,
		tool_name: tool.name,
		toolset: tool.toolset,
		session_id: context.sessionId,
		task_id: context.taskId,
		tool_call_id: context.callId ?? "",
		turn_id: context.turnId ?? "",
		api_request_id: context.requestId ?? "",
	};
}

/** Asks the blocking hooks, once for each call. The first that blocks with a reason wins. */
export async function blockedReason({ options, tool, args }: SettledCall): Promise<string | undefined> {
	const payload = () => ({ ...identity(options, tool), args });
	for await (const returned of options.hooks?.fire("pre_tool_call", payload) ?? []) {
		const message = blockMessage(returned);
		if (message !== undefined) return message;
	}
	return undefined;
}

function blockMessage(returned: unknown): string | undefined {
	if (typeof returned !== "object" || returned === null || !("action" in returned) || returned.action !== "block") {
		return undefined;
	}
	const message = "message" in returned && typeof returned.message === "string" ? returned.message.trim() : "";
	return message === "" ? undefined : message;
}

/** Runs the handler inside the chain of links. */
export function runInside(call: SettledCall, run: () => Promise<ToolAnswer>): Promise<ToolAnswer> {
	const { options, tool, args } = call;
	if (options.hooks?.has("tool_execution") !== true) return run();
	const chain = {
		name: "tool_execution",
		payload: () => ({ ...identity(options, tool), args }),
		accept: (returned: unknown) => (typeof returned === "string" ? answerFrom(returned) : undefined),
	};
	return options.hooks.run(chain, run);
}

/** Tells the observers, then lets the first hook that returns a text replace the result. */
export async function afterCall(call: SettledCall, end: CallEnd): Promise<ToolAnswer> {
	const { options, tool, args } = call;
	const { hooks } = options;
	if (hooks === undefined) return end.answer;
	const payload = () => ({
		...identity(options, tool),
		args,
		result: end.answer,
		status: end.status,
		duration_ms: Math.round(end.durationMs),
		error_type: end.errorType ?? "",
	});
	for await (const _ of hooks.fire("post_tool_call", payload));
	for await (const returned of hooks.fire("transform_tool_result", payload)) {
		if (typeof returned === "string") return answerFrom(returned);
	}
	return end.answer;
}
