/** One session of a conversation: its row in the store, its prompt, and the agent that runs its turns. */

import { type Agent, type AgentOptions, createAgent } from "../../agent/agent.ts";
import { createBudget } from "../../agent/budget.ts";
import type { DelegatingCall, Delegator } from "../../agent/delegate/child.ts";
import type { AgentEvent } from "../../agent/events.ts";
import type { MessageImage } from "../../base/conversation.ts";
import type { ReasoningEffort } from "../../providers/provider.ts";
import type { DelegationAnswer } from "../../registry/delegation.ts";
import { createSessionId } from "../../store/session-id.ts";
import type { Cli } from "../subcommand.ts";
import { type ConversationParts, taskId } from "./conversation-parts.ts";
import { fallbackModels } from "./fallback-models.ts";
import { loggedInSession } from "./log-events.ts";
import { loopOptions, sessionSpending } from "./loop-options.ts";
import { modelRoute } from "./model-route.ts";
import { prefillMessages } from "./prefill.ts";
import { type CallChoice, type CallParts, createCalls } from "./session-calls.ts";
import { claimSession } from "./session-claim.ts";
import { sessionCompressor } from "./session-compressor.ts";
import { sessionImages } from "./session-images.ts";
import { chargeTo } from "./side-calls.ts";

/** What the user chose. */
export interface SessionOptions extends CallChoice {
	emit(event: AgentEvent): void;
}

/** Which model is asked. */
export interface Asked {
	readonly model: string;
	/** How much it thinks, where the user has said it in this conversation. */
	readonly effort?: ReasoningEffort | undefined;
}

/** What the session is made of, and the model that is asked first. */
export type SessionParts = ConversationParts & Asked;

/** Opens the session that `parts.past` is, or a new one. */
export function openSession(cli: Cli, options: SessionOptions, parts: SessionParts) {
	const { model, list, store, notes, past, prompt, toolbox } = parts;
	const id = past?.session.id ?? createSessionId();
	let asked: Asked = { model, effort: parts.effort };
	const promptNow = () => prompt.build({ model: asked.model, tools: list.assembly.definitions, notes: notes?.block() });
	const systemPrompt = keptPrompt(parts) || promptNow();
	const claim = keepSession(parts, { id, systemPrompt });
	const hints = prompt.openHints();
	const emit = loggedInSession(options.emit, parts.log.named("agent"), id);
	const common = agentParts(cli, { ...options, emit }, parts);
	const delegate = delegateFor(parts, { id, sessionId: () => agent.sessionId, spending: common.spending });
	const charge = chargeTo({ store, ...common, sessionId: () => agent.sessionId });
	const calls = createCalls(cli, options, { ...parts, sessionId: id, whose: "own", charge, ...delegate });
	const compress = sessionCompressor(cli, {
		config: options.config,
		provider: parts.provider,
		store,
		...common,
		sessionId: () => agent.sessionId,
		plan: calls.plan,
		rebuildPrompt: () => prompt.refresh(cli.interruption.signal).then(promptNow),
		onShortened: () => forgetSeen(toolbox, { id, hints }),
		emit,
	});
	const agentFrom = ({ model, effort }: Asked, from: Beginning): AgentOptions => ({
		...common,
		...(effort !== undefined && { effort }),
		model,
		systemPrompt: from.systemPrompt,
		get tools() {
			return list.assembly.definitions;
		},
		async runTool(call, run) {
			const outcome = await calls.run(call, run);
			return outcome.isError ? outcome : { ...outcome, answer: await hints.added(call, outcome.answer) };
		},
		history: from.messages,
		sessionId: from.sessionId,
		compress,
		emit(event) {
			if (event.type === "assistant_message") calls.nextStep();
			emit(event);
		},
	});
	let agent = createAgent(agentFrom(asked, { sessionId: id, systemPrompt, messages: past?.messages ?? [] }));
	return {
		/** The id that tools know it by; it stays. */
		beganAs: id,
		/** Another one after a compression. */
		get id() {
			return agent.sessionId;
		},
		/** Writes down what a call of a model beside the conversation cost. */
		charge,
		/** Lets others go on with it. */
		release: () => claim?.[Symbol.dispose](),
		steer: (text: string) => agent.steer(text),
		compress: (focus: string | undefined, signal: AbortSignal) => agent.compress(focus, signal),
		handOut: (goal: string) => handOut(goal, { cli, options, ...delegate }),
		async runTurn(text: string, signal: AbortSignal, images?: readonly MessageImage[]) {
			await list.refresh(asked.model);
			await parts.memory?.prepare(text, agent.sessionId, signal);
			const finished = await calls.during(signal, () => agent.runTurn(text, signal, images));
			const { sessionId } = agent;
			if (finished.ended === "answered") parts.memory?.turnEnded({ sessionId, user: text, assistant: finished.text });
			parts.after?.turnEnded({ text, finished, agent: agentFrom(asked, agent), runTool: calls.review, charge });
			return finished;
		},
		/** Goes on with another model, or another effort. */
		ask(change: Partial<Asked>) {
			asked = { ...asked, ...change };
			const from = asAnother(agent, { store, model: change.model, promptNow });
			agent = createAgent(agentFrom(asked, from));
		},
	};
}

/** Tools know the conversation by the id it began with, whatever it is called since. */
function forgetSeen(
	{ fileState }: ConversationParts["toolbox"],
	{ id, hints }: { readonly id: string; readonly hints: { forget(): void } },
): void {
	fileState.pages.forget(id);
	hints.forget();
}

/** What the calls of the conversation's own agent hand out tasks with. */
function delegateFor(
	{ delegations, list, place }: ConversationParts,
	{ id, ...own }: Pick<Delegator, "sessionId" | "spending"> & { readonly id: string },
) {
	if (delegations === undefined) return { delegate: undefined };
	const delegator: Delegator = {
		...own,
		depth: 0,
		conversationId: id,
		taskId,
		tools: () => list.assembly.names,
		cwd: () => place.shell.cwd,
	};
	return { delegate: (call: DelegatingCall) => delegations.of(delegator, call) };
}

/** What the user hands out is no call of a turn: it has a budget of its own, and ends with the run. */
async function handOut(
	goal: string,
	{ cli, options, delegate }: { readonly cli: Cli; readonly options: SessionOptions } & Pick<CallParts, "delegate">,
): Promise<DelegationAnswer> {
	const budget = createBudget(options.config.get("agent.max_turns"));
	const delegation = delegate?.({ budget, signal: cli.interruption.signal, onOutput() {} });
	if (delegation === undefined) return { ok: false, why: "Cannot hand out tasks: sub-agents have none of their own" };
	return await delegation.start([{ goal, role: "leaf", isolation: "shared" }]);
}

/** The prompt that was sent before. Another model has none of it in its cache, and is told what its own family needs. */
function keptPrompt({ past, model, provider }: SessionParts): string {
	const { session } = past ?? {};
	const isAnother = (session?.model ?? model) !== model || (session?.provider ?? provider.id) !== provider.id;
	return isAnother ? "" : (session?.systemPrompt ?? "");
}

/** What an agent goes on from. */
type Beginning = Pick<Agent, "sessionId" | "systemPrompt" | "messages">;

/** What stays the same as long as the session is open. */
export function agentParts(cli: Cli, { config, emit }: SessionOptions, parts: ConversationParts) {
	const { provider, place, toolbox, list, store, past } = parts;
	const { cwd, ranOn } = place.shell;
	const allowed = () => list.assembly.names;
	const warn = (message: string) => emit({ type: "warning", message });
	return {
		...modelRoute(cli, config, provider),
		...loopOptions({ config, registry: toolbox.registry, place, allowed }),
		...(store !== undefined && { store }),
		cwd,
		ranOn,
		maxTurns: config.get("agent.max_turns"),
		images: sessionImages(cli, config),
		prefill: prefillMessages(cli, config),
		fallbacks: fallbackModels(cli, { config, chosen: provider }, warn),
		spending: sessionSpending(config, past?.session),
	};
}

/** The same conversation for another model, if it is another one. */
function asAnother(
	agent: Beginning,
	{
		store,
		model,
		promptNow,
	}: { readonly model: string | undefined; promptNow(): string } & Pick<SessionParts, "store">,
): Beginning {
	if (model === undefined) return agent;
	const { sessionId, messages } = agent;
	const systemPrompt = promptNow();
	store?.useModel(sessionId, model);
	store?.updateSession(sessionId, { systemPrompt });
	return { sessionId, messages, systemPrompt };
}

/**
 * A session that is gone on with is open again; a new one is written before anything is said in it.
 * @throws {CommandFailed} When another process has it open.
 */
function keepSession(
	{ store, past, model, provider, place }: SessionParts,
	{ id, systemPrompt }: { readonly id: string; readonly systemPrompt: string },
): Disposable | undefined {
	const claim = store && claimSession(store, id);
	if (past !== undefined) store?.reopenSession(id);
	if (past !== undefined && past.session.model !== model) store?.useModel(id, model);
	if (past !== undefined && past.session.systemPrompt !== systemPrompt) store?.updateSession(id, { systemPrompt });
	// Does nothing for a session that is there already.
	store?.createSession({
		id,
		source: "cli",
		model,
		systemPrompt,
		cwd: place.shell.cwd,
		provider: provider.id,
		...(provider.baseUrl !== undefined && { baseUrl: provider.baseUrl }),
	});
	return claim;
}
