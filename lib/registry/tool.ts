/** The contract of a tool: what a file in `lib/tools/` exports by default, and what its `run` is given. */

import type { ZodObject, z } from "zod";
import { attempt } from "../base/attempt.ts";
import type { LoadedConfig } from "../config/load.ts";
import type { ExecuteOptions, Outcome } from "../environments/outcome.ts";
import type { ReadDirectly } from "../environments/shell/read-directly.ts";
import type { Shell } from "../environments/shell/shell.ts";
import type { FileState } from "../files/file-state.ts";
import type { ProcessDesk } from "../processes/process-desk.ts";
import type { ApprovalRequest } from "../security/approval/request.ts";
import type { Redactor } from "../security/redact.ts";
import type { AgentState } from "./agent-state.ts";
import type { JsonSchema } from "./json-schema.ts";

/** The answer of a tool: one JSON string. Only `toolResult`, `toolError` and `answerFrom` make one. */
export type ToolAnswer = string & { readonly [answerBrand]: true };
declare const answerBrand: unique symbol;

/** The settings of the run, as far as tools need them: keys of config.yaml, variables, and the secrets among both. */
export type ToolSettings = Pick<LoadedConfig, "get" | "find" | "variables" | "secrets">;

/** Where a text was saved, or why it was not. */
export type Saved = { readonly ok: true; readonly path: string } | { readonly ok: false; readonly reason: string };

/** The session a call belongs to. Everything a tool touches goes through it, so a path means the same for every tool. */
export interface ToolContext {
	readonly sessionId: string;
	readonly taskId: string;
	/** Aborted when the user interrupts the turn. */
	readonly signal: AbortSignal;
	/** Runs a command in the session's shell; `signal` and the live output are filled in. */
	execute(command: string, options?: Partial<ExecuteOptions>): Promise<Outcome>;
	/** Reads a file of the session without a process, where that can be done. */
	readonly readDirectly?: ReadDirectly;
	/** The session's folder now, absolute, as the sandbox sees it. */
	readonly cwd: string;
	readonly ranOn: string;
	/** The model's id of this call. It comes from outside: never a file name as it is. */
	readonly callId?: string;
	/** The turn and the request to the model that this call belongs to, for hooks and logs. */
	readonly turnId?: string;
	readonly requestId?: string;
	/** A script of the model asks: the model does not see the answer. */
	readonly isScript?: boolean;
	/** What file tools remember between calls; without it they remember nothing. */
	readonly fileState?: FileState;
	/** Everything this session may call; what runs scripts offers them exactly these tools. */
	readonly enabledTools?: ReadonlySet<string>;
	/** As they are now; what a tool reads from them must not outlive the call. */
	readonly settings?: ToolSettings;
	/** Masks secrets, for what a tool cuts itself; answers are masked as a whole anyway. Missing where the user wants none. */
	readonly redact?: Redactor | undefined;
	/** Background processes of the task; missing where nobody looks after them. */
	readonly processes?: ProcessDesk | undefined;
	/** For the tool that runs scripts which call tools. */
	readonly scripts?: ScriptSession;
	/** For tools of scope `agent`: state of the conversation, when the loop itself asks. */
	readonly agent?: AgentState;
	/** Saves a long text where `read_file` finds it, until the session ends; `name` is made safe. */
	saveText?(name: string, text: string): Promise<Saved>;
}

/** What a script that calls tools needs of the session it runs in. */
export interface ScriptSession {
	/** Tools of the session that can be used now. */
	tools(): Promise<readonly Tool[]>;
	parameters(tool: Tool): JsonSchema;
	/** One call, through everything that a call of the model goes through; the answer is whole. Never throws. */
	call(
		call: { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> },
		signal: AbortSignal,
	): Promise<ToolAnswer>;
	/** Keeps the session's sandbox open while `use` runs. @throws {BackendUnavailable} */
	inSandbox<T>(signal: AbortSignal, use: (shell: Shell, signal: AbortSignal) => Promise<T>): Promise<T>;
	/** Shows what a script says while it says it. */
	show?(text: string): void;
	/** What was found out about sandboxes of this process, by sandbox. */
	readonly remembered: WeakMap<object, Map<string, string>>;
}

/** What is known when the list for a model is put together. */
export interface AssemblyFacts {
	/** Names of the tools that this session really gets: a text must not mention another one. */
	readonly availableTools: ReadonlySet<string>;
	/** Left out where there are none. */
	readonly settings?: ToolSettings;
	/** How many agents stand above the one that is given the list; 0 when left out. */
	readonly depth?: number;
	/** The arguments of another tool. */
	parameters?(name: string): JsonSchema | undefined;
}

/** Text that takes the place of the static one. */
export interface ToolText {
	readonly description?: string;
	readonly parameters?: JsonSchema;
}

/** Where a tool that is not ours comes from. */
export interface ToolSource {
	readonly kind: "mcp" | "plugin";
	/** The server or plug-in. */
	readonly name: string;
}

/** How the loop treats calls of a tool; without it they run one after the other. */
export interface LoopTraits {
	/** Waits for the user: runs alone, and nobody counts the time. */
	readonly isInteractive?: boolean;
	/** Keeps the agent's own records. What the model said beside such calls may be its whole answer. */
	readonly isHousekeeping?: boolean;
	/** Does in one call what would have taken many: a message with such calls alone does not count as a step. */
	readonly isFreeStep?: boolean;
	/** Changes nothing but what `edits` names: may run beside calls that change other files. */
	readonly isConfined?: boolean;
	/** Its calls may run beside each other and beside calls that only read: whoever offers it said so. */
	readonly isParallel?: boolean;
}

/** What a file in `lib/tools/` exports by default: one tool, as the model, the user and the dispatcher know it. */
export interface Tool<A extends ZodObject = ZodObject> {
	/** snake_case; the file is the same name with `-` for `_`. */
	readonly name: string;
	readonly toolset: string;
	/** What the model reads. */
	readonly description: string;
	readonly args: A;
	/** The schema of a tool from outside, which has no zod; arguments are checked against it. See `foreignTool`. */
	readonly parameters?: JsonSchema;
	/** Missing for our own tools. */
	readonly source?: ToolSource;
	/** Characters a result may have before the rest goes to a file; 100,000 when left out. */
	readonly resultLimit?: number;
	/** The answer is a page of something that can be read again: it is shortened, never saved to a file. */
	readonly isPaged?: boolean;
	/** The answer holds text that strangers wrote; the model is told that it is data. */
	readonly isUntrusted?: boolean;
	/** The answer shows the content of files: `TOKEN=…` in a program is what the file is about, and stays. */
	readonly showsFiles?: boolean;
	/** Variables it needs, shown to the user. */
	readonly environment?: readonly string[];
	/** `agent`: needs the agent's own state; dispatch refuses it and the loop runs it. */
	readonly scope?: "agent";
	/** Changes nothing anywhere: may run beside other calls of the same kind. */
	readonly readOnly?: boolean;
	readonly loop?: LoopTraits;
	/** `true`, or why the model should not see the tool now. Tools that share the function share the verdict. */
	available?(settings?: ToolSettings): Promise<true | string>;
	/**
	 * Text that depends on the configuration or on the other tools, asked for whenever the list is put together. `null`
	 * leaves the tool out; after a throw the static text stands.
	 */
	describe?(facts: AssemblyFacts): ToolText | null;
	/** What the user must agree to before `run`; undefined when the call needs no consent. */
	approval?(args: z.output<A>, context: ToolContext): ApprovalRequest | undefined;
	/** Keys that the answer of a refused call carries beside `error` and `status`. */
	readonly refusal?: Readonly<Record<string, unknown>>;
	/**
	 * Absolute paths that the call may change or remove, so that they can be kept before it runs; a folder ends in a slash.
	 * Undefined when there are none.
	 */
	edits?(args: z.output<A>, context: ToolContext): readonly string[] | undefined;
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

/** An answer from a text that something outside made: a JSON object as it is, anything else as `{"result": text}`. */
export function answerFrom(text: string): ToolAnswer {
	const parsed = attempt((): unknown => JSON.parse(text));
	const isObject =
		parsed.ok && typeof parsed.value === "object" && parsed.value !== null && !Array.isArray(parsed.value);
	return isObject ? (text as ToolAnswer) : toolResult({ result: text });
}
