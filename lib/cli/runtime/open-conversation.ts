/** Everything a conversation with a model needs, opened in the order in which it can fail: nothing is left half made. */

import type { AgentEvent, TurnFinished } from "../../agent/events.ts";
import type { MessageImage } from "../../base/conversation.ts";
import { type Logger, silentLogger } from "../../log/logger.ts";
import { openLog } from "../../log/open-log.ts";
import type { ReasoningEffort } from "../../providers/provider.ts";
import { recordTo } from "../../providers/record.ts";
import type { DelegationAnswer } from "../../registry/delegation.ts";
import { createResultBudget } from "../../registry/results/result-budget.ts";
import type { ToolContext } from "../../registry/tool.ts";
import type { ApproverOptions } from "../../security/approval.ts";
import type { Store } from "../../store/store.ts";
import type { Cli } from "../subcommand.ts";
import { type AfterTurnOptions, openAfterTurn } from "./after-turn.ts";
import { approverParts } from "./approver-parts.ts";
import { type AuditedRun, consentOf, openRunAudit } from "./audited-calls.ts";
import { openAuxiliary } from "./auxiliary-model.ts";
import { type BackgroundNews, openBackgroundNews } from "./background-news.ts";
import { type ConsentSwitch, openConsentSwitch } from "./consent-switch.ts";
import { type ConversationParts, taskId } from "./conversation-parts.ts";
import { createSessions, type SessionUsage } from "./conversation-sessions.ts";
import { liveProvider } from "./live-provider.ts";
import { endLeftProcesses, openDelegations, tellUntold } from "./open-delegations.ts";
import { openHomeStore } from "./open-home-store.ts";
import { openPlace, type Place } from "./open-place.ts";
import { type OpenedProvider, openProvider, type ProviderChoice } from "./open-provider.ts";
import { openToolbox, type Toolbox } from "./open-tools.ts";
import { folderOf, openPastSession, type PastSession, type SessionChoice } from "./past-session.ts";
import { pluginMemory } from "./plugin-memory.ts";
import { openSessionMemory } from "./session-memory.ts";
import { sessionNotes } from "./session-notes.ts";
import { openSessionPrompt, type PersonalityChoice } from "./session-prompt.ts";
import { type Charge, charged } from "./side-calls.ts";
import { openSpeed, type SpeedSwitch } from "./speed-switch.ts";
import type { TerminalLines } from "./terminal-lines.ts";
import { openToolList } from "./tool-list.ts";

/** What the user asked for. */
export interface ConversationOptions extends ProviderChoice {
	/** The place to work in, when it is open already; else the configured one is opened. */
	readonly place?: Place;
	readonly toolsets?: readonly string[] | undefined;
	/** Toolsets or tools that are taken away again. */
	readonly disabledToolsets?: readonly string[] | undefined;
	readonly approval: ApproverOptions["mode"];
	/** The same for sub-agents; they are denied what needs consent when it is left out. */
	readonly childApproval?: ApproverOptions["mode"];
	/** Who is asked when `approval` is `ask`. */
	readonly terminal?: TerminalLines;
	/** Cassette to write. */
	readonly record?: string | undefined;
	/** Whether the session is written to the store. */
	readonly keep: boolean;
	/** The session to go on with; a new one when left out. */
	readonly resume?: SessionChoice | undefined;
	/** Somebody stays: what earlier runs left in the background is told too, when it ends. */
	readonly isAttended?: boolean;
	/** Name of the surface in the audit log; `cli` when left out. */
	readonly surface?: string;
	emit(event: AgentEvent): void;
}

/** One open conversation. Disposing it ends the session and closes what was opened for it. */
export interface Conversation extends AsyncDisposable {
	readonly sessionId: string;
	readonly model: string;
	readonly provider: Pick<OpenedProvider, "id" | "baseUrl">;
	readonly place: Place;
	/** What the session has used so far. */
	readonly used: SessionUsage;
	/** See `Agent.runTurn`. */
	runTurn(text: string, signal: AbortSignal, images?: readonly MessageImage[]): Promise<TurnFinished>;
	/** Gives `text` to the turn that runs; see `Agent.steer`. */
	steer(text: string): boolean;
	/** Shortens the session; `focus` is what must be kept above all. False when there is nothing to shorten. */
	compress(focus: string | undefined, signal: AbortSignal): Promise<boolean>;
	/** Asks `model` from the next turn on; what was said stays. */
	useModel(model: string): void;
	/**
	 * Asks another provider from the next turn on, as it is configured; what was said stays. A consent that was given for the
	 * session is asked for again.
	 * @throws {CommandFailed} When the conversation is not kept.
	 * @throws {UsageError | ProviderRefused} When the provider cannot be used; the one that answers stays.
	 */
	useProvider(named: string, model: string | undefined): Promise<void>;
	/** How much the model thinks; empty is its own habit. */
	readonly effort: ReasoningEffort | "";
	/** Has the model think so much from the next turn on. */
	useEffort(effort: ReasoningEffort): void;
	/** Whether calls run unasked. */
	readonly consent: ConsentSwitch;
	/** Who speaks in the sessions that begin from now on. */
	readonly personality: PersonalityChoice;
	/** Whether faster answers are asked for. */
	readonly speed: SpeedSwitch;
	/** Hands `goal` to a sub-agent, whose report comes with the news. */
	handOut(goal: string): Promise<DelegationAnswer>;
	/** Ends the session and begins another in the same place. */
	startNew(): void;
	/** What background processes have to tell. */
	readonly news: BackgroundNews;
	/** Where the session is kept; missing when it is not. */
	readonly store: Store | undefined;
	/** Ends the session and goes on with another one in the same place. @throws {CommandFailed} When there is no such session. */
	resume(choice: SessionChoice): void;
	/** Goes on with this session as the store has it now: after messages were taken back. */
	reload(): void;
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
	const main = liveProvider(recorded(await openProvider(cli, options), options.record));
	const answering = main.provider;
	const log = options.keep ? opened.use(openLog(cli.environment.hermesHome, options.config)) : silentLogger;
	const consent = consentFor(cli, options);
	// Servers may ask before there is a session that could pay.
	let payer: { readonly charge: Charge } | undefined;
	const charge: Charge = (call) => payer?.charge(call);
	const toolbox = opened.use(await openTools(cli, options, { log, answering, consent, charge }));
	const service = options.keep ? pluginMemory(toolbox.hooks) : undefined;
	const memory = service && opened.use(openSessionMemory(service, log));
	const speed = openSpeed(options.config, () => ({ ...answering, model: sessions.model() }));
	const recalled = (opened: OpenedProvider) => {
		const asked = speed.asking(opened);
		return memory ? { ...asked, client: memory.recalling(asked.client) } : asked;
	};
	const spoken = liveProvider(recalled(answering));
	const { provider } = spoken;
	const notes = options.keep ? sessionNotes(cli.environment.hermesHome, options.config) : undefined;
	const list = await openToolList(cli, toolbox, listOptions(options, { provider, notes }));
	const onWarning = (message: string) => options.emit({ type: "warning", message });
	const store = options.keep ? opened.use(openHomeStore(cli, options.config, onWarning)) : undefined;
	const after =
		store && isHeld(options, provider)
			? opened.use(openAfterTurn(afterOptions(cli, options, { store, log, notes })))
			: undefined;
	const past = options.resume && store && openPastSession(store, options.resume);
	const place = options.place ?? opened.use(await openPlaceFor(cli, options, past));
	const budget = createResultBudget({ log });
	opened.defer(() => budget.removeSaved(cleanUpShell(place)));
	const audit = opened.use(openRunAudit(cli, options.config));
	const audited = audit && auditedRun(options, { audit, place, consent });
	const approver = await approverParts(cli, options.config, place);
	const prompt = await openSessionPrompt(cli, { config: options.config, place, onWarning });
	const shared = { provider, toolbox, budget, place, store, log, audited, approver, consent, prompt };
	opened.defer(() => toolbox.checkpoints?.settled());
	const delegations = opened.use(openDelegations(cli, options, { ...shared, model: () => sessions.model() }));
	const parts = { ...shared, list, notes, after, memory, delegations };
	const become = (next: OpenedProvider) => {
		const opened = recorded(next, options.record);
		main.become(opened);
		spoken.become(recalled(opened));
	};
	const sessions = createSessions(cli, options, { ...parts, past, become });
	payer = { charge: (call) => sessions.current().charge(call) };
	opened.defer(() => sessions.end());
	const news = await openBackgroundNews(place.processes, {
		taskId,
		isAttended: options.isAttended === true,
		adopts: options.keep,
		delegations,
		conversationId: () => sessions.current().beganAs,
	});
	if (options.keep) await endLeftProcesses(place, cli.environment.hermesHome);
	const tellEarlier = () => tellUntold(delegations, { sessionId: sessions.current().beganAs, store, place });
	tellEarlier();
	const { personality } = prompt;
	const kept = opened.move();
	return conversationOf(sessions, { provider, place, news, store, consent, personality, speed, tellEarlier, kept });
}

/** What a conversation has besides its sessions. */
interface Surroundings
	extends Pick<Conversation, "provider" | "place" | "news" | "store" | "consent" | "personality" | "speed"> {
	readonly kept: AsyncDisposableStack;
	tellEarlier(): void;
}

function conversationOf(
	sessions: ReturnType<typeof createSessions>,
	{ kept, tellEarlier, ...surroundings }: Surroundings,
): Conversation {
	return {
		...surroundings,
		get sessionId() {
			return sessions.current().id;
		},
		get model() {
			return sessions.model();
		},
		get effort() {
			return sessions.effort();
		},
		get used() {
			return sessions.used();
		},
		runTurn: (text, signal, images) => sessions.runTurn(text, signal, images),
		steer: (text) => sessions.steer(text),
		compress: (focus, signal) => sessions.current().compress(focus, signal),
		useModel: (model) => sessions.useModel(model),
		useProvider: (named, model) => sessions.useProvider(named, model),
		useEffort: (effort) => sessions.useEffort(effort),
		handOut: (goal) => sessions.current().handOut(goal),
		startNew: () => sessions.startNew(),
		resume(choice) {
			sessions.resume(choice);
			tellEarlier();
		},
		reload: () => sessions.resume(undefined),
		[Symbol.asyncDispose]: () => kept.disposeAsync(),
	};
}

function auditedRun(
	{ surface = "cli" }: ConversationOptions,
	{ audit, place, consent }: Pick<AuditedRun, "audit"> & Pick<ConversationParts, "place" | "consent">,
): AuditedRun {
	return {
		audit,
		surface,
		backend: place.backend,
		get consent() {
			return consentOf(consent.own);
		},
	};
}

function consentFor(cli: Cli, { config, approval, childApproval, terminal }: ConversationOptions): ConsentSwitch {
	return openConsentSwitch(cli, config, { own: approval, children: childApproval, canAsk: terminal !== undefined });
}

/** MCP servers may ask the user, and the model of the conversation or the one that is set for them. */
async function openTools(
	cli: Cli,
	{ config, terminal, keep }: ConversationOptions,
	{
		log,
		answering,
		consent,
		charge,
	}: {
		readonly log: Logger;
		readonly answering: OpenedProvider;
		readonly consent: ConsentSwitch;
		readonly charge: Charge;
	},
): Promise<Toolbox> {
	const task = "mcp";
	const model = async () => {
		const opened = await openAuxiliary(cli, { config, task, main: answering });
		return { ...opened, client: charged(opened, task, charge) };
	};
	// Lines of a file are for the model: a server must not take them for answers of its own.
	const isThere = cli.stdinIsTerminal && cli.stderr.isTerminal;
	const people = {
		terminal: isThere ? terminal : undefined,
		get approval() {
			return consent.own;
		},
		model,
	};
	const toolbox = await openToolbox(cli, config, { log, people });
	// What is not kept leaves nothing in HERMES_HOME.
	return keep ? toolbox : { ...toolbox, checkpoints: undefined };
}

function listOptions(
	{ config, toolsets, disabledToolsets = [], keep, emit }: ConversationOptions,
	{ provider, notes }: Pick<ConversationParts, "provider" | "notes">,
) {
	const without = [notes === undefined ? "memory" : "", keep ? "" : "session_search"].filter((name) => name !== "");
	const disabled = [...disabledToolsets, ...without];
	return {
		config,
		choice: { platform: "cli", toolsets, disabledToolsets: disabled },
		get providerId() {
			return provider.id;
		},
		model: provider.model,
		onWarning: (message: string) => emit({ type: "warning", message }),
	};
}

/** A person talks to a model: not a script, and no tape that has no answer for what is asked beside the conversation. */
function isHeld({ isAttended, record }: ConversationOptions, provider: OpenedProvider): boolean {
	return isAttended === true && record === undefined && provider.id !== "cassette";
}

function afterOptions(
	cli: Cli,
	{ config, emit }: ConversationOptions,
	{ store, log, notes }: { readonly store: Store } & Pick<ConversationParts, "log" | "notes">,
): AfterTurnOptions {
	return {
		config,
		store,
		log,
		hasNotes: notes !== undefined,
		emit,
		open: (task, { providerId: id, client, model, baseUrl }) =>
			openAuxiliary(cli, { config, task, main: { id, client, model, ...(baseUrl !== undefined && { baseUrl }) } }),
	};
}

/** A session goes on in the folder that it was in, where that still is. */
function openPlaceFor(cli: Cli, { config, terminal }: ConversationOptions, past: PastSession | undefined) {
	const cwd = past && config.get("terminal.backend") === "local" ? folderOf(past) : undefined;
	return openPlace(cli, { config, terminal, ...(cwd !== undefined && { cwd }) });
}

/** Putting away is not for the signal that ended the session; it must not take long either. */
function cleanUpShell({ shell }: Place): Pick<ToolContext, "execute"> {
	const signal = AbortSignal.timeout(cleanUpLimitMs);
	return { execute: (command, options) => shell.execute(command, { signal, ...options }) };
}

const cleanUpLimitMs = 3_000;

function recorded(provider: OpenedProvider, path: string | undefined): OpenedProvider {
	return path === undefined ? provider : { ...provider, client: recordTo(path, provider.client) };
}
