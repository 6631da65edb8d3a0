/** Hooks and middleware: what else wants to see, change or stop a call. One that fails is logged and counts for nothing. */

import { attemptAsync } from "../base/attempt.ts";
import { type Logger, silentLogger } from "../log/logger.ts";

/** What every observer's payload says of its own form. */
export const observerVersion = "hermes.observer.v1";
/** The same for middleware. */
export const middlewareVersion = "hermes.middleware.v1";

/** Moments that something can hook on to: dispatch fires those of tools, the agent and its surfaces the others. */
export const hookNames = [
	...["rewrite_tool_call", "pre_tool_call", "post_tool_call", "transform_tool_result", "transform_terminal_output"],
	...["transform_llm_output", "pre_llm_call", "post_llm_call", "pre_api_request", "post_api_request"],
	...["api_request_error", "on_session_start", "on_session_end", "on_session_finalize", "on_session_reset"],
	...["subagent_start", "subagent_stop", "pre_gateway_dispatch", "pre_approval_request", "post_approval_response"],
	...["memory_prefetch", "memory_sync", "memory_write"],
] as const;

/** What a hook is told: plain data. */
export type Payload = Readonly<Record<string, unknown>>;

/** What a hook returns is read by whoever fires it; most are only told. */
export type Hook = (payload: Payload) => unknown;

/**
 * One link of an execution chain. `next` runs the rest, may be called once, and takes no arguments: what was agreed to
 * cannot be changed any more. What the link returns takes the place of the result when it is of the right kind.
 */
export type ExecutionLink = (payload: Payload, next: () => Promise<unknown>) => unknown;

/** The hooks of one process or session. */
export interface Hooks {
	/** Adds a hook; the result takes it away again. Hooks are called in the order in which they were added. */
	on(name: string, hook: Hook): () => void;
	/** Adds a link to an execution chain. */
	wrap(name: string, link: ExecutionLink): () => void;
	/** Calls every hook in order, each with a payload made for it, and yields what it returned; one that throws is logged and skipped. */
	fire(name: string, payload: () => Payload): AsyncGenerator<unknown>;
	/** Whether anybody listens: what nobody reads is not put together. */
	has(name: string): boolean;
	/** Runs `action` inside a chain. */
	run<T>(chain: Chain<T>, action: () => Promise<T>): Promise<T>;
}

/** The chain an action runs in. */
export interface Chain<T> {
	readonly name: string;
	payload(): Payload;
	/** What a link returned, when it can stand for a result. */
	accept(returned: unknown): T | undefined;
}

/** An empty set of hooks. */
export function createHooks(log: Pick<Logger, "warning"> = silentLogger): Hooks {
	const hooks = new Map<string, readonly Hook[]>();
	const links = new Map<string, readonly ExecutionLink[]>();

	return {
		on: (name, hook) => add(hooks, name, hook),
		wrap: (name, link) => add(links, name, link),
		has: (name) => (hooks.get(name)?.length ?? 0) > 0 || (links.get(name)?.length ?? 0) > 0,
		async *fire(name, payload) {
			for (const hook of hooks.get(name) ?? []) {
				const returned = await attemptAsync(() => hook(payload()));
				if (returned.ok) yield returned.value;
				else log.warning(`hook ${name} failed: ${returned.reason}`);
			}
		},
		run(chain, action) {
			const added = links.get(chain.name) ?? [];
			return added.length === 0 ? action() : runLinks({ chain, links: added, log }, action);
		},
	};
}

function add<T>(lists: Map<string, readonly T[]>, name: string, item: T): () => void {
	lists.set(name, [...(lists.get(name) ?? []), item]);
	return () =>
		void lists.set(
			name,
			(lists.get(name) ?? []).filter((other) => other !== item),
		);
}

interface Links<T> {
	readonly chain: Chain<T>;
	readonly links: readonly ExecutionLink[];
	readonly log: Pick<Logger, "warning">;
}

/**
 * A link that throws before it called `next` is skipped; once `next` has succeeded, a throw loses nothing; and what the
 * action throws reaches the caller unchanged, whatever a link makes of it.
 */
async function runLinks<T>({ chain, links, log }: Links<T>, action: () => Promise<T>): Promise<T> {
	const [link, ...rest] = links;
	if (link === undefined) return action();
	let called: Promise<T> | undefined;
	const next = () => {
		if (called !== undefined) return Promise.reject(new Error("next was called twice"));
		called = runLinks({ chain, links: rest, log }, action);
		return called;
	};
	const ran = await attemptAsync(() => link(chain.payload(), next));
	const accepted = ran.ok ? chain.accept(ran.value) : undefined;
	if (called !== undefined) {
		const result = await called;
		return accepted ?? result;
	}
	if (!ran.ok) log.warning(`${chain.name} was skipped: ${ran.reason}`);
	return accepted ?? runLinks({ chain, links: rest, log }, action);
}
