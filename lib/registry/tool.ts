/** The contract of a tool: what a file in `lib/tools/` exports by default, and what its `run` is given. */

import type { ZodObject, z } from "zod";
import type { ExecuteOptions, Outcome } from "../environments/outcome.ts";
import type { ApprovalRequest } from "../security/approval.ts";

/** The answer of a tool: one JSON string. Only `toolResult` and `toolError` make one. */
export type ToolAnswer = string & { readonly [answerBrand]: true };
declare const answerBrand: unique symbol;

/** The session a call belongs to. Everything a tool touches goes through it, so a path means the same for every tool. */
export interface ToolContext {
	readonly sessionId: string;
	readonly taskId: string;
	/** Aborted when the user interrupts the turn. */
	readonly signal: AbortSignal;
	/** Runs a command in the session's shell; `signal` and the live output are filled in. */
	execute(command: string, options?: Partial<ExecuteOptions>): Promise<Outcome>;
	/** The session's folder now, absolute, as the sandbox sees it. */
	readonly cwd: string;
	readonly ranOn: string;
}

export interface Tool<A extends ZodObject = ZodObject> {
	/** snake_case; the file is the same name with `-` for `_`. */
	readonly name: string;
	readonly toolset: string;
	/** What the model reads. */
	readonly description: string;
	readonly args: A;
	/** Characters a result may have before dispatch cuts it. */
	readonly resultLimit?: number;
	/** `agent`: needs the agent's own state; dispatch refuses it and the loop runs it. */
	readonly scope?: "agent";
	/** Changes nothing anywhere: may run beside other calls of the same kind. */
	readonly readOnly?: boolean;
	/** `true`, or why the model should not see the tool now. */
	available?(): Promise<true | string>;
	/** What the user must agree to before `run`; undefined when the call needs no consent. */
	approval?(args: z.output<A>, context: ToolContext): ApprovalRequest | undefined;
	/** Keys that the answer of a refused call carries beside `error` and `status`. */
	readonly refusal?: Readonly<Record<string, unknown>>;
	/** Outcomes of the world are returned; what is thrown becomes an error answer at dispatch. */
	run(args: z.output<A>, context: ToolContext): Promise<ToolAnswer>;
}

/** Checks the arguments' type against `run` and lets plug-in lists hold tools of any arguments. */
export function defineTool<A extends ZodObject>(tool: Tool<A>): Tool {
	return tool as unknown as Tool;
}

/** The JSON of a success. Undefined values are left out; other characters than ASCII are not escaped. */
export function toolResult(data: Readonly<Record<string, unknown>>): ToolAnswer {
	return JSON.stringify(data) as ToolAnswer;
}

/** The JSON of a failure: `{"error": message, …extra}`. Say what to do next; never put a secret in it. */
export function toolError(message: string, extra: Readonly<Record<string, unknown>> = {}): ToolAnswer {
	return JSON.stringify({ error: message, ...extra }) as ToolAnswer;
}
