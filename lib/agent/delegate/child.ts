/** The ports between the engine of delegations and what it is built into: how a child is opened, and what it says when it ends. */

import type { ChildRole, DelegatedTask, Delegation } from "../../registry/delegation.ts";
import type { ToolRun } from "../agent.ts";
import type { Budget } from "../budget.ts";
import type { AgentEvent, TurnFinished } from "../events.ts";
import type { Spending } from "../spending.ts";
import type { IsolatedPlace } from "./isolation.ts";

/** An agent that hands out tasks. */
export interface Delegator {
	/** How many agents stand above it. */
	readonly depth: number;
	/** The conversation that all of it is for, by the id that it began with. */
	readonly conversationId: string;
	/** Its own session, for the store. */
	sessionId(): string;
	/** Whose sandbox its children work in. */
	readonly taskId: string;
	/** Set when it is a child itself. */
	readonly childId?: string | undefined;
	/** What it may call now. */
	tools(): ReadonlySet<string>;
	/** Its folder now. */
	cwd(): string;
	readonly spending: Spending;
}

/** What one call of the tool brings along. */
export type DelegatingCall = Pick<ToolRun, "budget" | "signal" | "onOutput">;

/** A child to be opened. */
export interface ChildRequest {
	/** Its task and its name: `sa-0-1f2e3d4c`. */
	readonly id: string;
	readonly task: DelegatedTask;
	/** As it was granted. */
	readonly role: ChildRole;
	/** Everything that it may call, by name. */
	readonly tools: ReadonlySet<string>;
	readonly parent: Delegator;
	/** How many agents stand above it. */
	readonly depth: number;
	/** Its own place, registered in the pool; undefined when it works on its parent's files. */
	readonly place: IsolatedPlace | undefined;
	readonly budget: Budget;
	readonly spending: Spending;
	/** What an orchestrator hands out tasks with, made once its session has an id. */
	readonly delegation: ((self: Pick<Delegator, "sessionId" | "cwd">, call: DelegatingCall) => Delegation) | undefined;
	emit(event: AgentEvent): void;
	/** Stops the opening; the child itself has the signal of its turn. */
	readonly signal: AbortSignal;
}

/** A child that can work. */
export interface OpenedChild {
	readonly model: string;
	readonly sessionId: string;
	/** See `Agent.runTurn`. */
	runTurn(text: string, signal: AbortSignal): Promise<TurnFinished>;
	/** Absolute paths that it has changed with file tools. */
	filesWritten(): readonly string[];
	/** Ends what it has left running and lets go of what it had of its own. Has limits of its own. */
	close(reason: string): Promise<void>;
}

/** Opens a child. @throws {Error} When it cannot be opened: no key, no such model, a broken place. */
export type OpenChild = (request: ChildRequest) => Promise<OpenedChild>;
