/** The sub-agents of one conversation: the engine, with the store, the places, the hooks and the settings of the conversation. */

import { Delegations } from "../../agent/delegate/delegations.ts";
import { createIsolation } from "../../agent/delegate/places/create-isolation.ts";
import { openRecords, recordFolder } from "../../agent/delegate/records.ts";
import type { ObservedChild } from "../../agent/delegate/run-group.ts";
import { isChildId } from "../../agent/delegate/short-id.ts";
import type { Notice } from "../../processes/notice.ts";
import { delegationLimits } from "../../registry/delegation-limits.ts";
import type { ToolContext } from "../../registry/tool.ts";
import { createRedactor } from "../../security/redact.ts";
import type { Store } from "../../store/store.ts";
import type { Cli } from "../subcommand.ts";
import { type ChildParts, childOpener, withoutPlace } from "./child-agent.ts";
import { taskId } from "./conversation-parts.ts";
import { endOrphans } from "./end-orphans.ts";
import type { Place } from "./open-place.ts";
import type { SessionOptions } from "./open-session.ts";
import type { Toolbox } from "./open-tools.ts";

/** How the conversation takes part. */
export interface OpenDelegationsOptions extends SessionOptions {
	/** Something of it is kept in HERMES_HOME. */
	readonly keep: boolean;
}

/** Nothing runs yet. */
export function openDelegations(cli: Cli, options: OpenDelegationsOptions, parts: ChildParts): Delegations {
	const { place, toolbox, budget } = parts;
	const redact = options.config.get("security.redact_secrets") ? createRedactor(options.config.secrets) : undefined;
	const saving: Pick<ToolContext, "execute"> = {
		execute: (command, more) => place.shell.execute(command, { signal: AbortSignal.timeout(saveLimitMs), ...more }),
	};
	return new Delegations({
		limits: () => delegationLimits(toolbox.settings()),
		registry: toolbox.registry,
		openChild: childOpener(cli, options, parts),
		isolation: createIsolation({
			pool: place.pool,
			home: cli.environment.hermesHome,
			fileState: toolbox.fileState,
		}),
		expect: () => place.processes.expected.open(taskId),
		records: options.keep ? openRecords(recordFolder(cli.environment.hermesHome)) : undefined,
		saveText: (name, text) => budget.saveText(saving, name, text),
		...(redact && { mask: (text: string) => redact(text) }),
		emit: options.emit,
		changedSince: (agentId) => toolbox.fileState.changedSince(agentId).map(withoutPlace),
		observe: (moment, about) => void fireHook(toolbox, moment, about),
		onWarning: (message) => options.emit({ type: "warning", message }),
	});
}

const saveLimitMs = 10_000;

/** What earlier runs of session `sessionId` have handed out and not told: it becomes a turn of the session that goes on. */
export function tellUntold(
	delegations: Pick<Delegations, "untold">,
	{ sessionId, store, place }: { readonly sessionId: string; readonly store: Store | undefined; readonly place: Place },
): void {
	if (store === undefined) return;
	for (const { id, text } of delegations.untold(new Set(store.chainOf(sessionId)))) {
		place.processes.expected.open(taskId).tell({ type: "delegation", id, conversationId: sessionId, text });
	}
}

/** What sub-agents of a process that was killed have left running ends. */
export async function endLeftProcesses(place: Place, hermesHome: string): Promise<void> {
	await endOrphans(place, { hermesHome, isOurs: isChildId });
}

/** The text of a notice for the conversation as it is now: another one may have begun since the tasks were handed out. */
export function noticeIn(notice: Notice, conversationId: string): Notice {
	if (notice.type !== "delegation" || notice.conversationId === conversationId) return notice;
	const said = `The following belongs to an earlier conversation of the user (session ${notice.conversationId}), not to this one. Tell the user in a sentence or two what came of it, and do nothing else about it.`;
	return { ...notice, text: `[${said}]\n\n${notice.text}` };
}

async function fireHook({ hooks }: Toolbox, moment: "start" | "stop", about: ObservedChild): Promise<void> {
	const name = `subagent_${moment}`;
	if (!hooks.has(name)) return;
	const { report, delegationId, parentSessionId } = about;
	const { subagent_id, goal, role, status, summary, error, duration_seconds, session_id } = report;
	const payload = {
		delegation_id: delegationId,
		parent_session_id: parentSessionId,
		subagent_id,
		goal,
		role,
		...(session_id !== undefined && { child_session_id: session_id }),
		...(moment === "stop" && { status, summary, error, duration_seconds }),
	};
	for await (const _ of hooks.fire(name, () => ({ ...payload }))) {
		// Hooks of this kind are told, and have nothing to say.
	}
}
