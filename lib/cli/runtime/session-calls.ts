/** Runs the tool calls of one session, and asks the user about those that need it. */

import type { ToolRun } from "../../agent/agent.ts";
import type { DelegatingCall } from "../../agent/delegate/child.ts";
import type { ToolCall } from "../../base/conversation.ts";
import { createQueue } from "../../base/queue.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { AgentState } from "../../registry/agent-state.ts";
import type { Delegation } from "../../registry/delegation.ts";
import type { JudgeCommand } from "../../security/approval/smart.ts";
import { createApprover } from "../../security/approval.ts";
import type { Cli } from "../subcommand.ts";
import { askApproval } from "./ask-approval.ts";
import { askChoice } from "./ask-choice.ts";
import { openAuxiliary } from "./auxiliary-model.ts";
import { type ConversationParts, taskId as mainTask } from "./conversation-parts.ts";
import { judgeWith } from "./judge-command.ts";
import { type CallOptions, callTool } from "./open-tools.ts";
import { pastSessions } from "./past-sessions.ts";
import { type Charge, charged } from "./side-calls.ts";
import type { TerminalLines } from "./terminal-lines.ts";

/** What the user chose about calls. */
export interface CallChoice {
	readonly config: LoadedConfig;
	/** Who is asked. */
	readonly terminal?: TerminalLines | undefined;
}

/** What the calls belong to. */
export interface CallParts extends ConversationParts {
	readonly sessionId: string;
	/** Whose consent counts for them. */
	readonly whose: "own" | "children";
	/** The task of a sub-agent; the main one when left out. */
	readonly taskId?: string;
	/** Told of calls of models that were made for a call. */
	readonly charge?: Charge;
	/** What a call hands out tasks with; missing for agents that may not. */
	readonly delegate?: ((call: DelegatingCall) => Delegation) | undefined;
}

/** Tool calls of one session, with an approver that remembers what was agreed to. */
export function createCalls(cli: Cli, options: CallChoice, parts: CallParts) {
	const { toolbox, list, budget, place, sessionId, audited, store, delegate } = parts;
	const waits = options.config.get("agent.clarify_timeout");
	const { terminal } = options;
	const agent: AgentState = {
		...parts.notes?.state,
		plan: parts.past?.plan ?? { steps: [] },
		...(store && { pastSessions: pastSessions(store, cli.environment.hermesHome, sessionId) }),
		...(terminal !== undefined && {
			ask: (choice) => terminal.choose?.(choice, waits) ?? askChoice(choice, terminal, waits),
		}),
	};
	// Calls may run at the same time, but a person answers one question after the other.
	const oneByOne = createQueue();
	let turn = cli.interruption.signal;
	let turnId = "";
	let step = 0;
	const { isSmart, ...approver } = parts.approver;
	const approve = createApprover({
		...approver,
		get mode() {
			return parts.consent[parts.whose];
		},
		...(terminal !== undefined && {
			ask: (request, question) =>
				oneByOne(() => {
					const asked = { request, question };
					return terminal.approve?.(asked, turn) ?? askApproval(asked, terminal, turn);
				}),
		}),
		...(isSmart && { judge: judge(cli, options.config, parts) }),
	});
	const denied = createApprover({ ...approver, mode: "deny" });
	const { shell, processes } = place;
	const { taskId = mainTask } = parts;
	const session = { toolbox, list, budget, shell, processes, approve, sessionId, taskId, audited, agent };
	return {
		async run(call: ToolCall, run: ToolRun) {
			// What is handed out spends from the turn of this very call.
			const asking = delegate === undefined ? session : { ...session, agent: { ...agent, delegation: delegate(run) } };
			const called = await callTool(asking, call, { ...run, turnId, step });
			if (call.name === "memory" && !called.isError) {
				parts.after?.notesUsed();
				parts.memory?.noteChanged(call, sessionId);
			}
			return called;
		},
		/** A call that nobody waits for: there is nobody to ask either. */
		async review(call: ToolCall, run: CallOptions) {
			const called = await callTool({ ...session, approve: denied }, call, run);
			if (call.name === "memory" && !called.isError) parts.memory?.noteChanged(call, sessionId);
			return called;
		},
		/** The steps of the plan as they stand. */
		plan: () => agent.plan?.steps ?? [],
		/** The model has spoken: the calls that follow belong together. */
		nextStep() {
			step++;
		},
		/** Runs a turn; questions about its calls end when `signal` aborts. */
		during<T>(signal: AbortSignal, runTurn: () => T): T {
			turn = signal;
			turnId = crypto.randomUUID();
			return runTurn();
		},
	};
}

/** The model that decides on commands, as `auxiliary.approval` wants it; opened when it is first asked. */
function judge(cli: Cli, config: LoadedConfig, { provider, charge }: CallParts): JudgeCommand {
	const task = "approval";
	return judgeWith({
		timeoutSeconds: config.get(`auxiliary.${task}.timeout`),
		async open() {
			const opened = await openAuxiliary(cli, { config, task, main: provider });
			return charge === undefined ? opened : { ...opened, client: charged(opened, task, charge) };
		},
	});
}
