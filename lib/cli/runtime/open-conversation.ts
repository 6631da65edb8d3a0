/** Everything a conversation with a model needs, opened in the order in which it can fail: nothing is left half made. */

import { join } from "node:path";
import { type Agent, createAgent } from "../../agent/agent.ts";
import type { AgentEvent, TurnFinished } from "../../agent/events.ts";
import { buildSystemPrompt } from "../../agent/prompt/system-prompt.ts";
import { ensureHermesHome } from "../../config/home.ts";
import { type Logger, silentLogger } from "../../log/logger.ts";
import { openLog } from "../../log/open-log.ts";
import { recordTo } from "../../providers/record.ts";
import { type ToolDefinition, toolDefinitions } from "../../registry/definitions.ts";
import type { Registry } from "../../registry/registry.ts";
import { type ApproverOptions, createApprover } from "../../security/approval.ts";
import { openStore } from "../../store/database.ts";
import { createSessionId } from "../../store/session-id.ts";
import type { Store } from "../../store/store.ts";
import type { Cli } from "../subcommand.ts";
import { askApproval } from "./ask-approval.ts";
import { logged } from "./log-events.ts";
import { openPlace, type Place } from "./open-place.ts";
import { type OpenedProvider, openProvider, type ProviderChoice } from "./open-provider.ts";
import { callTool, openRegistry } from "./open-tools.ts";
import { toolsOf } from "./select-tools.ts";
import type { TerminalLines } from "./terminal-lines.ts";

/** What the user asked for. */
export interface ConversationOptions extends ProviderChoice {
	/** The place to work in, when it is open already; else the configured one is opened. */
	readonly place?: Place;
	readonly toolsets?: readonly string[] | undefined;
	readonly approval: ApproverOptions["mode"];
	/** Who is asked when `approval` is `ask`. */
	readonly terminal?: TerminalLines;
	/** Cassette to write. */
	readonly record?: string | undefined;
	/** Whether the session is written to the store. */
	readonly keep: boolean;
	emit(event: AgentEvent): void;
}

/** One open conversation. Disposing it ends the session and closes what was opened for it. */
export interface Conversation extends AsyncDisposable {
	readonly sessionId: string;
	readonly model: string;
	readonly place: Place;
	runTurn(text: string, signal: AbortSignal): Promise<TurnFinished>;
	/** Ends the session and begins another in the same place. */
	startNew(): void;
}

/** What every session of one conversation shares. */
interface Parts {
	readonly provider: OpenedProvider;
	readonly registry: Registry;
	readonly tools: readonly ToolDefinition[];
	readonly place: Place;
	readonly store: Store | undefined;
	readonly log: Logger;
}

/**
 * Opens provider, tools, store and place.
 * @throws {UsageError} When a flag names something unknown.
 * @throws {CommandFailed} When no provider is configured.
 * @throws {ConfigInvalid} When a setting cannot be used.
 * @throws {ProviderRefused | HermesHomeUnusable | StoreRefused | BackendUnavailable} When that part cannot be used.
 */
export async function openConversation(cli: Cli, options: ConversationOptions): Promise<Conversation> {
	await using opened = new AsyncDisposableStack();
	const provider = recorded(await openProvider(cli, options), options.record);
	const registry = await openRegistry(cli);
	toolsOf(registry, options.toolsets);
	const tools = await toolDefinitions(registry, options.toolsets);
	const store = options.keep ? opened.use(openHomeStore(cli)) : undefined;
	const place = options.place ?? opened.use(await openPlace(cli, { config: options.config, taskId }));
	const log = options.keep ? opened.use(openLog(cli.environment.hermesHome, options.config)) : silentLogger;
	const sessions = createSessions(cli, options, { provider, registry, tools, place, store, log });
	opened.defer(() => sessions.end());
	const kept = opened.move();
	return {
		get sessionId() {
			return sessions.current().id;
		},
		model: provider.model,
		place,
		runTurn: (text, signal) => sessions.runTurn(text, signal),
		startNew: () => sessions.startNew(),
		[Symbol.asyncDispose]: () => kept.disposeAsync(),
	};
}

/** The one task of a command line; parts that run several name their own. */
const taskId = "default";

function recorded(provider: OpenedProvider, path: string | undefined): OpenedProvider {
	return path === undefined ? provider : { ...provider, client: recordTo(path, provider.client) };
}

function openHomeStore(cli: Cli): Store {
	ensureHermesHome(cli.environment.hermesHome);
	return openStore(join(cli.environment.hermesHome, "state.db"));
}

/** The sessions of one conversation, one after the other. */
function createSessions(cli: Cli, options: ConversationOptions, parts: Parts) {
	let session = openSession(cli, options, parts);
	const end = (reason: string) => parts.store?.endSession(session.id, reason);
	return {
		current: () => session,
		runTurn: (text: string, signal: AbortSignal) => session.runTurn(text, signal),
		startNew() {
			end("new_session");
			session = openSession(cli, options, parts);
		},
		end: () => end(cli.interruption.exitCode() === undefined ? "cli_close" : "interrupted"),
	};
}

function openSession(cli: Cli, options: ConversationOptions, parts: Parts) {
	const { provider, tools, place, store } = parts;
	const { cwd, ranOn } = place.shell;
	const id = createSessionId();
	const platform = place.sharesHostFiles ? process.platform : "linux";
	const systemPrompt = buildSystemPrompt({ cwd, ranOn, date: new Date(), platform, tools });
	store?.createSession({
		id,
		source: "cli",
		model: provider.model,
		systemPrompt,
		cwd,
		provider: provider.id,
		...(provider.baseUrl !== undefined && { baseUrl: provider.baseUrl }),
	});
	const calls = createCalls(cli, options, { ...parts, sessionId: id });
	const agent = createAgent({
		client: provider.client,
		model: provider.model,
		providerId: provider.id,
		systemPrompt,
		tools,
		runTool: calls.run,
		...(store !== undefined && { store }),
		sessionId: id,
		cwd,
		ranOn,
		maxTurns: options.config.get("agent.max_turns"),
		emit: logged(options.emit, parts.log.named("agent").inSession(id)),
	});
	return { id, runTurn: calls.during(agent) };
}

/** Tool calls of one session, with an approver that remembers what was answered with `always`. */
function createCalls(cli: Cli, options: ConversationOptions, parts: Parts & { readonly sessionId: string }) {
	const { registry, place, sessionId } = parts;
	let turn = cli.interruption.signal;
	const { terminal } = options;
	const approve = createApprover({
		mode: options.approval,
		...(terminal !== undefined && { ask: (request) => askApproval(request, terminal, turn) }),
		...(place.sharesHostFiles && { home: cli.environment.home }),
	});
	const allowed = new Set(parts.tools.map((tool) => tool.name));
	const session = { registry, shell: place.shell, approve, sessionId, taskId, allowed };
	return {
		run: (call: Parameters<typeof callTool>[1], run: Parameters<typeof callTool>[2]) => callTool(session, call, run),
		during: (agent: Agent) => (text: string, signal: AbortSignal) => {
			turn = signal;
			return agent.runTurn(text, signal);
		},
	};
}
