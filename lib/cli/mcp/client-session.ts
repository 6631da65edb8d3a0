/** What one MCP client works with: a place, a shell session and an approver of its own, opened with its first call. */

import { AsyncLocalStorage } from "node:async_hooks";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { firstAborted, untilAborted } from "../../base/abort.ts";
import { attemptAsync } from "../../base/attempt.ts";
import { settledWithin } from "../../base/settled-within.ts";
import { noticeText } from "../../processes/notice.ts";
import type { Assembly } from "../../registry/definitions.ts";
import { createResultBudget } from "../../registry/results/result-budget.ts";
import { readSearchSettings } from "../../registry/search/settings.ts";
import { type ToolAnswer, type ToolContext, toolError } from "../../registry/tool.ts";
import { type Approve, createApprover } from "../../security/approval.ts";
import { askConsent } from "../../serve/mcp/ask-consent.ts";
import { createCallGate } from "../../serve/mcp/call-gate.ts";
import type { Peer, ServedCall, ServedSession, TellClient } from "../../serve/mcp/served.ts";
import { createSessionId } from "../../store/session-id.ts";
import { approvalMode } from "../runtime/approval-mode.ts";
import { approverParts } from "../runtime/approver-parts.ts";
import { consentQuestion } from "../runtime/ask-approval.ts";
import { consentOf, openRunAudit } from "../runtime/audited-calls.ts";
import { endOrphans } from "../runtime/end-orphans.ts";
import { openPlace, type Place } from "../runtime/open-place.ts";
import { callTool, type Toolbox, type ToolSession } from "../runtime/open-tools.ts";
import type { Cli } from "../subcommand.ts";
import type { ServedToolsOptions } from "./served-tools.ts";

/** What the clients of one server share. */
export interface ClientSessionOptions extends ServedToolsOptions {
	readonly toolbox: Toolbox;
	assemble(): Promise<Assembly>;
	tools: ServedSession["tools"];
	readonly tell: TellClient;
}

const taskPrefix = "mcp-";
/** Of this or another server. */
const isClientTask = (taskId: string): boolean => new RegExp(`^${taskPrefix}\\d{8}_`).test(taskId);

/** How long putting away what a client has left may take. */
const cleanUpLimitMs = 5_000;

interface Opened extends AsyncDisposable {
	readonly session: Omit<ToolSession, "list">;
	readonly place: Place;
}

/** A session that has opened nothing yet. */
export function openClientSession(cli: Cli, options: ClientSessionOptions): ServedSession {
	const { toolbox, assemble, tools } = options;
	const gate = createCallGate();
	// The call that a question about consent belongs to: an approver is one per session.
	const currentCall = new AsyncLocalStorage<ServedCall>();
	const closing = new AbortController();
	let opening: Promise<Opened> | undefined;
	const opened = (peer: Peer): Promise<Opened> => {
		if (opening !== undefined) return opening;
		const started = openFor(cli, { ...options, closing: closing.signal, currentCall }, peer);
		opening = started;
		// The next call tries again: an engine that was down may be up by then.
		started.catch(() => {
			if (opening === started) opening = undefined;
		});
		return started;
	};
	const answer = async (call: ServedCall): Promise<CallToolResult> => {
		// Another call may go on waiting for it.
		const place = await attemptAsync(() => untilAborted(opened(call.peer), call.signal));
		if (!place.ok) return resultOf(toolError(place.reason), true);
		const list = listOf(toolbox, await assemble());
		const { signal, onOutput, name, arguments: args } = call;
		const session = { ...place.value.session, list };
		const called = await currentCall.run(call, () =>
			callTool(session, { name, arguments: args }, { signal, onOutput }),
		);
		return resultOf(called.answer, called.isError);
	};
	const running = new Set<Promise<unknown>>();
	return {
		tools,
		async call(call) {
			const isReader = toolbox.registry.get(call.name)?.readOnly === true;
			const answered = gate.run(isReader ? "reads" : "changes", call.signal, () => answer(call));
			running.add(answered);
			return await answered.finally(() => running.delete(answered));
		},
		async [Symbol.asyncDispose]() {
			closing.abort(new Error("Cannot open the place: its client has gone away"));
			// They were aborted with the connection; what they work with must not be closed under them.
			await settledWithin(Promise.allSettled(running), cleanUpLimitMs);
			const kept = await opening?.catch(() => undefined);
			await kept?.[Symbol.asyncDispose]();
		},
	};
}

/** The same twice, as the protocol wants it: text for clients that know nothing else, and what it says for programs. */
function resultOf(text: ToolAnswer, isError: boolean): CallToolResult {
	return { content: [{ type: "text", text }], isError, ...(!isError && { structuredContent: JSON.parse(text) }) };
}

function listOf(toolbox: Toolbox, assembly: Assembly): NonNullable<ToolSession["list"]> {
	const settings = readSearchSettings(toolbox.settings().section("tools.tool_search"));
	return {
		assembly,
		catalogue: () => ({ deferred: [], settings, get: (name) => toolbox.registry.get(name) }),
		async refresh() {},
	};
}

interface Opening extends ClientSessionOptions {
	/** Aborted when the client has gone. */
	readonly closing: AbortSignal;
	readonly currentCall: AsyncLocalStorage<ServedCall>;
}

async function openFor(cli: Cli, options: Opening, peer: Peer): Promise<Opened> {
	const { config, cwd, toolbox, tell, keep, closing } = options;
	await using opened = new AsyncDisposableStack();
	const audit = opened.use(openRunAudit(cli, config));
	using either = firstAborted([cli.interruption.signal, closing]);
	const interruption = { ...cli.interruption, signal: either.signal };
	const place = opened.use(await openPlace({ ...cli, interruption }, { config, cwd, staysOpen: !keep }));
	const sessionId = createSessionId();
	const taskId = `${taskPrefix}${sessionId}`;
	const budget = createResultBudget({ log: toolbox.log });
	opened.defer(() => budget.removeSaved(shellFor(place)));
	opened.defer(() => endBackground(place, taskId));
	opened.defer(() => toolbox.checkpoints?.settled());
	opened.use(tellNotices(place, taskId, tell));
	await endOrphans(place, { hermesHome: cli.environment.hermesHome, isOurs: isClientTask });
	const { approve, consent } = await approverFor(cli, options, { place, peer });
	const session = {
		toolbox,
		shell: place.shell,
		processes: place.processes,
		approve,
		sessionId,
		taskId,
		budget,
		audited: audit && { audit, surface: "mcp", backend: place.backend, consent },
	};
	const kept = opened.move();
	return { session, place, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** Asks the client's user where the client can ask; else what needs consent is refused with what the operator can do. */
async function approverFor(
	cli: Cli,
	{ config, allowed, yolo, currentCall }: Opening,
	{ place, peer }: { readonly place: Place; readonly peer: Peer },
): Promise<{ readonly approve: Approve; readonly consent: string }> {
	const { isSmart: _, trusted, ...parts } = await approverParts(cli, config, place);
	const usual = approvalMode(cli, config, { surface: "headless", yolo });
	const mode = usual === "deny" && peer.canElicit ? "ask" : usual;
	const approve = createApprover({
		...parts,
		trusted: new Set([...(trusted ?? []), ...allowed]),
		mode,
		async ask(request, question) {
			const call = currentCall.getStore();
			if (call === undefined) return "deny";
			const signal = AbortSignal.any([question.signal, call.signal]);
			const text = consentQuestion(request, question);
			// Consent for good would count for every other session too, and nobody knows who answers at the other end.
			const choices = question.choices.filter((choice) => choice !== "always");
			return { id: question.id, choice: await askConsent(call.peer, { text, choices, signal }) };
		},
		advise: (dangers) =>
			`Whoever runs this server can allow it: hermes mcp serve ${dangers.map(({ category }) => `--allow ${category}`).join(" ")}.`,
	});
	return { approve, consent: consentOf(mode) };
}

/** Clients have no turns in which news could be told: those that want it get log messages. */
function tellNotices({ processes }: Place, taskId: string, tell: TellClient): Disposable {
	return processes.onNotice(() => {
		for (const notice of processes.takeNotices(taskId)) tell("info", noticeText(notice));
	});
}

/** Nobody could look after them: the next client is another task. */
async function endBackground({ processes }: Place, taskId: string): Promise<void> {
	const ending = processes.running(taskId).map((running) => running.kill());
	await settledWithin(Promise.allSettled(ending), cleanUpLimitMs);
}

function shellFor({ shell }: Place): Pick<ToolContext, "execute"> {
	const signal = AbortSignal.timeout(cleanUpLimitMs);
	return { execute: (command, options) => shell.execute(command, { signal, ...options }) };
}
