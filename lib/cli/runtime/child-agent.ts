/** Opens a sub-agent: a session, a shell, tools and an agent of its own, with nobody to ask. */

import { createAgent } from "../../agent/agent.ts";
import type { ChildRequest, OpenChild } from "../../agent/delegate/child.ts";
import { childPrompt } from "../../agent/delegate/child-prompt.ts";
import type { AgentEvent } from "../../agent/events.ts";
import { delegationLimits } from "../../registry/delegation-limits.ts";
import { schemaFamilyOf } from "../../registry/schema/family.ts";
import { readSearchSettings } from "../../registry/search/settings.ts";
import { createSessionId } from "../../store/session-id.ts";
import type { Cli } from "../subcommand.ts";
import { consentOf } from "./audited-calls.ts";
import { openChildModels } from "./child-model.ts";
import type { ConversationParts } from "./conversation-parts.ts";
import { loggedInSession } from "./log-events.ts";
import type { OpenedProvider } from "./open-provider.ts";
import { agentParts, type SessionOptions } from "./open-session.ts";
import { createCalls } from "./session-calls.ts";
import { sessionCompressor } from "./session-compressor.ts";
import { chargeTo } from "./side-calls.ts";
import type { ToolList } from "./tool-list.ts";

/** What children share with their conversation. */
export interface ChildParts
	extends Omit<ConversationParts, "list" | "past" | "after" | "memory" | "notes" | "delegations"> {
	/** The model that the conversation asks now. */
	model(): string;
}

/** How children of a conversation are opened. */
export function childOpener(cli: Cli, options: SessionOptions, parts: ChildParts): OpenChild {
	const modelOf = openChildModels(cli, { config: options.config, main: parts.provider });
	const audited = parts.audited && {
		...parts.audited,
		surface: "subagent",
		get consent() {
			return consentOf(parts.consent.children);
		},
	};
	return async (request) => {
		const { id, place, parent, signal } = request;
		const { pool, processes } = parts.place;
		if (place === undefined) await pool.register(id, { cwd: parent.cwd(), within: parent.taskId, isUnattended: true });
		const shell = pool.shell(id);
		await shell.open(signal);
		const provider = await modelOf(parts.model());
		const list = await openChildTools(parts, options, { request, provider });
		const session = {
			...parts,
			audited,
			provider,
			list,
			place: { ...parts.place, shell },
			...{ notes: undefined, past: undefined, after: undefined, memory: undefined, delegations: undefined },
		};
		const child = openChildSession(cli, { ...options, terminal: undefined }, { request, session });
		return {
			model: provider.model,
			sessionId: child.sessionId,
			runTurn: child.runTurn,
			filesWritten: () => parts.toolbox.fileState.writtenBy(child.sessionId).map(withoutPlace),
			async close(reason) {
				await Promise.all(processes.running(id).map((process) => process.kill()));
				const desk = processes.desk(id, child.sessionId);
				// Nobody is left to be told of their ends.
				for (const process of desk.list()) desk.seen(process);
				parts.toolbox.fileState.forget(child.sessionId);
				parts.store?.endSession(child.currentId(), reason);
				if (place === undefined) await pool.release(id);
			},
		};
	};
}

/** A path is remembered with the sandbox that it is in. */
export function withoutPlace(key: string): string {
	return key.slice(key.indexOf(":/") + 1);
}

/** The tools are settled once: what the settings add later is not for a child that was promised less. */
async function openChildTools(
	{ toolbox }: ChildParts,
	{ config }: SessionOptions,
	{ request, provider }: { readonly request: ChildRequest; readonly provider: OpenedProvider },
): Promise<ToolList> {
	const { registry, assembler } = toolbox;
	const search = readSearchSettings(config.section("tools.tool_search"));
	const assembly = await assembler.assemble({
		only: request.tools,
		depth: request.depth,
		family: schemaFamilyOf({ provider: provider.id, model: provider.model }),
		search,
		contextTokens: config.get("model.context_length") || undefined,
	});
	if (assembly.names.size === 0) {
		const why = assembly.unavailable.map(({ name, reason }) => `${name}: ${reason}`).join("; ");
		throw new Error(`Cannot open the child: none of its tools can be used (${why})`);
	}
	return {
		assembly,
		catalogue: () => ({ deferred: assembly.deferred, settings: search, get: (name) => registry.get(name) }),
		async refresh() {},
	};
}

interface ChildSession {
	readonly request: ChildRequest;
	readonly session: ConversationParts;
}

function openChildSession(cli: Cli, options: SessionOptions, { request, session }: ChildSession) {
	const { store, provider, place, list, log, toolbox } = session;
	const { config } = options;
	const { id, parent, delegation } = request;
	const { cwd, ranOn } = place.shell;
	const sessionId = createSessionId();
	const systemPrompt = promptOf(request, { cwd, ranOn, config, isHost: place.sharesHostFiles });
	store?.createSession({
		id: sessionId,
		source: "subagent",
		model: provider.model,
		systemPrompt,
		cwd,
		provider: provider.id,
		...(provider.baseUrl !== undefined && { baseUrl: provider.baseUrl }),
		parentSessionId: parent.sessionId(),
		modelConfig: { _delegate_from: parent.sessionId() },
	});
	const emit = loggedInSession(request.emit, log.named("subagent"), sessionId);
	const delegate = delegation && {
		delegate: (call: Parameters<typeof delegation>[1]) =>
			delegation({ sessionId: () => agent.sessionId, cwd: () => place.shell.cwd }, call),
	};
	const common = { ...agentParts(cli, { ...options, emit }, session), spending: request.spending };
	const calls = createCalls(cli, options, {
		...session,
		charge: chargeTo({ store, ...common, sessionId: () => agent.sessionId }),
		sessionId,
		whose: "children",
		taskId: id,
		...delegate,
	});
	const effort = config.get("delegation.reasoning_effort");
	const agent = createAgent({
		...common,
		...(effort !== "" && { effort }),
		model: provider.model,
		systemPrompt,
		sessionId,
		tools: list.assembly.definitions,
		openBudget: () => request.budget,
		runTool: (call, run) => calls.run(call, run),
		compress: sessionCompressor(cli, {
			config,
			provider,
			store,
			...common,
			sessionId: () => agent.sessionId,
			plan: calls.plan,
			rebuildPrompt: async () => systemPrompt,
			onShortened: () => toolbox.fileState.pages.forget(sessionId),
			emit,
		}),
		emit(event: AgentEvent) {
			if (event.type === "assistant_message") calls.nextStep();
			emit(event);
		},
	});
	return {
		sessionId,
		currentId: () => agent.sessionId,
		runTurn: (text: string, signal: AbortSignal) => calls.during(signal, () => agent.runTurn(text, signal)),
	};
}

interface PromptFacts {
	readonly cwd: string;
	readonly ranOn: string;
	readonly config: SessionOptions["config"];
	/** Its files are those of this machine. */
	readonly isHost: boolean;
}

function promptOf({ role, depth, place }: ChildRequest, { cwd, ranOn, config, isHost }: PromptFacts): string {
	const limits = delegationLimits(config);
	return childPrompt({
		cwd,
		ranOn,
		platform: isHost ? process.platform : "linux",
		date: new Date(),
		place: place?.description,
		orchestrates: role === "leaf" ? undefined : { depth, deepest: limits.depth, atOnce: limits.atOnce },
	});
}
