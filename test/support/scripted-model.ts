/** A model whose answers are written down, and an agent that talks to it in no time. */

import { type AgentOptions, createAgent } from "../../lib/agent/agent.ts";
import type { Clock } from "../../lib/agent/clock.ts";
import type { AgentEvent } from "../../lib/agent/events.ts";
import { historyProblems } from "../../lib/agent/history.ts";
import type { AssistantMessage, TokenUsage } from "../../lib/base/conversation.ts";
import {
	type ModelClient,
	type ModelRequest,
	ProviderRefused,
	type RefusalKind,
} from "../../lib/providers/provider.ts";

/** One answer, or how there comes to be none. */
export type Step =
	| (Partial<Omit<AssistantMessage, "role">> & { readonly usage?: TokenUsage; readonly costMicroUsd?: number })
	| {
			readonly refuse: RefusalKind;
			/** Shown before. */
			readonly after?: string;
			readonly hints?: ProviderRefused["hints"];
	  };

/** The usage of every answer that says no other. */
export const stepUsage: TokenUsage = {
	inputTokens: 10,
	outputTokens: 5,
	cacheReadTokens: 2,
	cacheWriteTokens: 1,
	reasoningTokens: 3,
};

/** A client that gives `steps` in order, and what it was asked. A history that no provider would take is an error. */
export function scriptedModel(steps: readonly Step[]): ModelClient & { readonly requests: ModelRequest[] } {
	const requests: ModelRequest[] = [];
	return {
		requests,
		async *complete(request) {
			requests.push({ ...request, messages: [...request.messages] });
			const problems = historyProblems(request.messages.filter((message) => !isNudge(message, request)));
			if (problems.length > 0) throw new Error(`the history is not valid: ${problems.join("; ")}`);
			const step = steps[requests.length - 1];
			if (step === undefined) throw new Error("the script has ended");
			if ("refuse" in step) {
				if (step.after !== undefined) yield { type: "text", text: step.after };
				const { hints = {} } = step;
				throw new ProviderRefused(step.refuse, `refused: ${step.refuse}`, { hints });
			}
			const { usage = stepUsage, costMicroUsd, content = "", toolCalls = [], ...rest } = step;
			if (content !== "") yield { type: "text", text: content };
			const message: AssistantMessage = { role: "assistant", content, toolCalls, ...rest };
			yield { type: "finished", message, usage, ...(costMicroUsd !== undefined && { costMicroUsd }) };
		},
	};
}

/** What the loop says in one request only may come after anything. */
function isNudge(message: ModelRequest["messages"][number], { messages }: ModelRequest): boolean {
	return message === messages.at(-1) && message.role === "user" && message.origin === "harness";
}

/** A call with the arguments as JSON. */
export function callOf(name: string, args: object = {}, id: string = `call_${name}`) {
	return { id, name, arguments: JSON.stringify(args) };
}

/** A clock that never waits and remembers how long it should have. */
export function instantClock(): Clock & { readonly waits: number[]; advance(milliseconds: number): void } {
	const waits: number[] = [];
	let now = 0;
	return {
		waits,
		now: () => now,
		random: () => 0.5,
		advance(milliseconds) {
			now += milliseconds;
		},
		async sleep(milliseconds, signal) {
			signal.throwIfAborted();
			waits.push(milliseconds);
			now += milliseconds;
		},
	};
}

/** An agent with tools that answer at once, and all that it says. */
export function scriptedAgent(options: Partial<AgentOptions> & { readonly client: ModelClient }) {
	const events: AgentEvent[] = [];
	const ran: string[] = [];
	const clock = instantClock();
	const agent = createAgent({
		model: "first",
		providerId: "one",
		systemPrompt: "Be brief.",
		tools: ["look", "change", "ask"].map((name) => ({ name, description: name, parameters: { type: "object" } })),
		async runTool(call) {
			ran.push(call.id);
			return { answer: '{"ok":true}', isError: false, denied: false, durationMs: 1 };
		},
		sessionId: "s",
		cwd: "/work",
		ranOn: "local",
		maxTurns: 20,
		clock,
		emit: (event) => {
			events.push(event);
		},
		...options,
	});
	return { agent, events, ran, clock };
}
