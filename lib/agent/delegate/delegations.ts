/** The engine of sub-agents: takes tasks, runs children, and knows how all of them stand until the conversation ends. */

import { firstAborted } from "../../base/abort.ts";
import { attempt } from "../../base/attempt.ts";
import { settledWithin } from "../../base/settled-within.ts";
import type { Expectation } from "../../processes/expectations.ts";
import type { ChildReport, DelegatedTask, Delegation, DelegationAnswer } from "../../registry/delegation.ts";
import type { DelegationLimits } from "../../registry/delegation-limits.ts";
import type { Registry } from "../../registry/registry.ts";
import type { AgentEvent } from "../events.ts";
import { takeOver } from "./changes.ts";
import type { DelegatingCall, Delegator, OpenChild } from "./child.ts";
import { type DelegationGroup, recordOf } from "./delegation-group.ts";
import { handleOf, secondsOf, textOf, textOfRecord } from "./group-answers.ts";
import type { Isolation } from "./isolation.ts";
import { keepRecord, type RecordKeeper } from "./keep-record.ts";
import { usualLullMs, watchForLull } from "./lull-watch.ts";
import { planChildren } from "./plan-children.ts";
import { type DelegationRecord, type Records, statusOf } from "./records.ts";
import { countsOf, fitSummaries, hasEnded, reportForModel, type SaveText } from "./results.ts";
import { type ObservedChild, runGroup } from "./run-group.ts";
import { shortId } from "./short-id.ts";
import type { StallLimits } from "./stall-watch.ts";

/** What the engine is built into. */
export interface DelegationsOptions {
	/** As they are now. */
	limits(): DelegationLimits;
	readonly registry: Registry;
	readonly openChild: OpenChild;
	/** Left out: every child works on its parent's files. */
	readonly isolation?: Isolation | undefined;
	/** The queue from which the first agent is told of ends. Left out: it waits for its children as every other one does. */
	expect?(): Expectation;
	/** Left out: nothing is kept. */
	readonly records?: Records | undefined;
	readonly saveText?: SaveText | undefined;
	/** Hides secrets. */
	mask?(text: string): string;
	emit(event: AgentEvent): void;
	/** Told when a child begins and ends. */
	observe?(moment: "start" | "stop", about: ObservedChild): void;
	/** Told when something cannot be kept. */
	onWarning?(text: string): void;
	readonly stall?: StallLimits;
	/** Milliseconds without another end after which those that there are are told. */
	readonly lullMs?: number;
	/** Paths that an agent has read, by the id that tools know it by, and that others have changed since. */
	changedSince?(agentId: string): readonly string[];
}

/** How long the end of a conversation waits for them; longer where work has to be brought back from a place that ends with it. */
const closeLimitMs = 5_000;
const closePlacesLimitMs = 60_000;
/** Files that an answer names which the agent must read again. */
const mostStale = 40;
/** Delegations that are over and whose results can still be asked for. */
const mostEnded = 50;

/** All delegations of one conversation. Disposing it stops them; their reports are kept. */
export class Delegations implements AsyncDisposable {
	readonly #options: DelegationsOptions;
	readonly #groups = new Map<string, DelegationGroup>();
	readonly #keepers = new Map<DelegationGroup, RecordKeeper>();
	readonly #closing = new AbortController();
	#cancels: Disposable | undefined;
	#hasWarned = false;

	constructor(options: DelegationsOptions) {
		this.#options = options;
	}

	/** Delegations as one call of `parent` may use them. */
	of(parent: Delegator, call: DelegatingCall): Delegation {
		return {
			start: (tasks) => this.#start(tasks, parent, call),
			list: () => this.#visibleTo(parent).map((record) => statusOf(record, Date.now())),
			status: (id) => this.#status(id, parent),
			cancel: (id) => this.#cancel(id, parent),
			merge: (id, task) => this.#takeOver("merge", { id, task, parent, call }),
			discard: (id, task) => this.#takeOver("discard", { id, task, parent, call }),
		};
	}

	/** Delegations in the background that run, for a person: one line each. */
	running(): readonly string[] {
		return [...this.#groups.values()]
			.filter(({ status, isBackground }) => isBackground && status === "running")
			.map(({ id, children }) => `${id} (${countsOf(children.map(({ report }) => report))})`);
	}

	/** The agent has been told how the delegation ended. */
	wasTold(id: string): void {
		const group = this.#groups.get(id);
		if (group !== undefined) {
			// A part of it may be told while it runs.
			group.told = group.status !== "running";
			this.#changed(group, true);
			return;
		}
		const record = this.#options.records?.get(id);
		if (record !== undefined) this.#write({ ...record, told: true });
	}

	/** What earlier processes left of these conversations without telling, each as the text of a turn. */
	untold(conversations: ReadonlySet<string>): readonly { readonly id: string; readonly text: string }[] {
		const left = this.#options.records?.list() ?? [];
		return left
			.filter((record) => record.is_background && !record.told && record.status !== "running")
			.filter((record) => conversations.has(record.conversation_id) || conversations.has(record.session_id))
			.filter(({ id }) => !this.#groups.has(id))
			.toReversed()
			.map((record) => ({ id: record.id, text: textOfRecord(record) }));
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#closing.abort(new Error("hermes is ending"));
		this.#cancels?.[Symbol.dispose]();
		const groups = [...this.#groups.values()];
		const isApart = groups.some(({ status, children }) => status === "running" && children.some(isInOwnPlace));
		const limitMs = isApart ? closePlacesLimitMs : closeLimitMs;
		await settledWithin(Promise.allSettled(groups.map(({ done }) => done)), limitMs);
		for (const keeper of this.#keepers.values()) keeper[Symbol.dispose]();
	}

	async #start(tasks: readonly DelegatedTask[], parent: Delegator, call: DelegatingCall): Promise<DelegationAnswer> {
		const limits = this.#options.limits();
		if (this.#closing.signal.aborted) return refused("Cannot hand out tasks: hermes is ending");
		if (this.#options.records?.isPaused === true) {
			return refused("Cannot hand out tasks: the user has paused that. Do the work yourself, or say what is open");
		}
		if (parent.depth >= limits.depth) {
			return refused(
				`Cannot hand out tasks at depth ${parent.depth}: agents stand ${limits.depth} levels deep at most (delegation.max_spawn_depth)`,
			);
		}
		const isBackground = parent.depth === 0 && this.#options.expect !== undefined;
		const running = [...this.#groups.values()].filter((group) => group.isBackground && group.status === "running");
		if (isBackground && running.length >= limits.inBackground) {
			return refused(
				`Cannot hand out more: ${running.length} delegations run (${running.map(({ id }) => id).join(", ")}). Wait until you are told that one has ended, or cancel one`,
			);
		}
		const planned = planChildren({ tasks, parent, limits, registry: this.#options.registry });
		if (!planned.ok) return refused(planned.reason);
		const group: DelegationGroup = {
			id: `deleg_${shortId()}`,
			parent,
			children: planned.value,
			isBackground,
			startedAt: Date.now(),
			status: "running",
			told: false,
			toldBefore: new Set(),
			stop: new AbortController(),
			expectation: isBackground ? this.#options.expect?.() : undefined,
			done: Promise.resolve(),
		};
		this.#add(group);
		group.done = this.#run(group, call, limits);
		if (isBackground) return { ok: true, data: handleOf(group) };
		await group.done;
		group.told = true;
		this.#changed(group, true);
		return { ok: true, data: this.#resultsOf(group) };
	}

	#add(group: DelegationGroup): void {
		const { records } = this.#options;
		this.#groups.set(group.id, group);
		const ended = [...this.#groups.values()].filter(({ status }) => status !== "running");
		for (const old of ended.slice(0, Math.max(0, ended.length - mostEnded))) {
			this.#groups.delete(old.id);
			this.#keepers.delete(old);
		}
		if (records === undefined) return;
		this.#keepers.set(
			group,
			keepRecord(() => this.#write(recordOf(group, this.#mask))),
		);
		this.#changed(group, true);
		this.#cancels ??= this.#kept(() => records.watchCancels((id) => this.#stop(this.#groups.get(id), "the user")));
	}

	async #run(group: DelegationGroup, call: DelegatingCall, limits: DelegationLimits): Promise<void> {
		const { signal: closing } = this.#closing;
		using run = firstAborted([group.stop.signal, closing, ...(group.isBackground ? [] : [call.signal])]);
		const { openChild, isolation, stall, emit, observe, lullMs = usualLullMs } = this.#options;
		using lull = watchForLull(lullMs, () => void this.#tellPart(group));
		await runGroup(group, {
			call,
			limits,
			signal: run.signal,
			openChild,
			isolation,
			stall,
			emit,
			observe,
			changed: (now) => this.#changed(group, now),
			ended: () => lull.touch(),
			of: (parent, ownCall) => this.of(parent, ownCall),
		});
		lull[Symbol.dispose]();
		// An interrupted call waits for nothing that takes a while.
		await this.#fit(group, call.signal.aborted && !group.isBackground ? notSaved : undefined);
		group.endedAt = Date.now();
		if (closing.aborted) group.cancelledBy ??= "the end of hermes";
		group.status = run.signal.aborted ? "cancelled" : "finished";
		// Its state is closed before anybody is told: whoever looks meanwhile sees how it ended.
		this.#changed(group, true);
		if (closing.aborted) group.expectation?.drop();
		else group.expectation?.tell(this.#notice(group));
	}

	/** One that takes long must not keep back what the others have found. */
	async #tellPart(group: DelegationGroup): Promise<void> {
		const ended = await this.#fit(group);
		if (ended.length === 0 || group.status !== "running") return;
		group.expectation?.tellPart(this.#notice(group));
		for (const report of ended) group.toldBefore.add(report);
	}

	/** Cuts the reports that are to be told next; gives them. */
	async #fit(
		{ children, toldBefore }: DelegationGroup,
		save = this.#options.saveText,
	): Promise<readonly ChildReport[]> {
		const reports = children.map(({ report }) => report);
		const news = reports.filter((report) => hasEnded(report) && !toldBefore.has(report));
		// Before they are cut: half of a secret is none that anybody would know again.
		for (const report of news) report.summary = this.#mask(report.summary);
		await fitSummaries(news, { count: reports.length, save });
		return news;
	}

	#notice(group: DelegationGroup) {
		const { id, parent } = group;
		const { conversationId } = parent;
		const stale = this.#staleFor(parent);
		const note = stale.length === 0 ? "" : `\n[Files that you had read were changed meanwhile: ${stale.join(", ")}]`;
		return { type: "delegation", id, conversationId, text: this.#mask(`${textOf(group)}${note}`) } as const;
	}

	#staleFor({ childId, conversationId, sessionId }: Delegator): readonly string[] {
		const paths = this.#options.changedSince?.(childId === undefined ? conversationId : sessionId()) ?? [];
		return paths.slice(0, mostStale);
	}

	#resultsOf(group: DelegationGroup): Readonly<Record<string, unknown>> {
		const stale = this.#staleFor(group.parent);
		return {
			delegation_id: group.id,
			...(stale.length > 0 && { stale_paths: stale }),
			results: group.children.map(({ report }) => reportForModel(report)),
			total_duration_seconds: secondsOf(group),
		};
	}

	/** Those of the agent itself; in the conversation's own order, newest first. */
	#visibleTo(parent: Delegator): readonly DelegationRecord[] {
		const own = [...this.#groups.values()].filter((group) => group.parent.childId === parent.childId);
		return own.map((group) => recordOf(group, this.#mask)).toReversed();
	}

	#find(id: string, parent: Delegator): DelegationRecord | undefined {
		const own = this.#visibleTo(parent).find((record) => record.id === id);
		if (own !== undefined || parent.depth > 0) return own;
		return this.#groups.has(id) ? undefined : this.#options.records?.get(id);
	}

	#status(id: string, parent: Delegator): DelegationAnswer {
		const record = this.#find(id, parent);
		if (record === undefined) return unknown(id);
		const group = this.#groups.get(id);
		if (group !== undefined && group.status !== "running") this.#seen(group);
		const { children, ...status } = statusOf(record, Date.now());
		return { ok: true, data: { ...status, results: children.map(reportForModel) } };
	}

	/** What the agent has seen is not told again. */
	#seen(group: DelegationGroup): void {
		group.expectation?.drop();
		group.told = true;
		this.#changed(group, true);
	}

	async #cancel(id: string, parent: Delegator): Promise<DelegationAnswer> {
		if (this.#find(id, parent) === undefined) return unknown(id);
		const group = this.#groups.get(id);
		if (group === undefined) return refused(`Cannot cancel ${id}: it does not run in this process`);
		const wasRunning = group.status === "running";
		this.#stop(group, "you");
		// What it answers with is all that has to be told.
		group.expectation?.drop();
		await group.done;
		this.#seen(group);
		return {
			ok: true,
			data: { status: wasRunning ? "cancelled" : `already ${group.status}`, ...this.#resultsOf(group) },
		};
	}

	/** False when there is no such delegation here. */
	#stop(group: DelegationGroup | undefined, by: string): boolean {
		if (group?.status === "running") {
			group.cancelledBy ??= by;
			group.stop.abort(new Error(`cancelled by ${by}`));
		}
		return group !== undefined;
	}

	async #takeOver(
		action: "merge" | "discard",
		{
			id,
			task,
			parent,
			call,
		}: {
			readonly id: string;
			readonly task: number | undefined;
			readonly parent: Delegator;
			readonly call: DelegatingCall;
		},
	): Promise<DelegationAnswer> {
		const group = this.#groups.get(id);
		const record = this.#find(id, parent);
		if (record === undefined) return unknown(id);
		const children = group?.children.map(({ report }) => report) ?? record.children;
		for (const [index, child] of (this.#options.records?.get(id)?.children ?? []).entries()) {
			// Somebody may have done it from outside.
			const own = children[index];
			if (own?.change !== undefined && child.change !== undefined) own.change.state = child.change.state;
		}
		const answer = await takeOver(action, {
			id,
			task,
			children,
			isolation: this.#options.isolation,
			signal: call.signal,
		});
		if (group !== undefined) this.#changed(group, true);
		else this.#write({ ...record, children: [...children] });
		return answer;
	}

	#changed(group: DelegationGroup, now: boolean): void {
		this.#keepers.get(group)?.changed(now);
	}

	#write(record: DelegationRecord): void {
		this.#kept(() => this.#options.records?.write(record));
	}

	/** A record that cannot be written stops no work. */
	#kept<T>(work: () => T): T | undefined {
		const done = attempt(work);
		if (done.ok) return done.value;
		if (!this.#hasWarned) this.#options.onWarning?.(`Sub-agents are not kept: ${done.reason}`);
		this.#hasWarned = true;
		return undefined;
	}

	readonly #mask = (text: string): string => this.#options.mask?.(text) ?? text;
}

function isInOwnPlace({ task, report }: DelegationGroup["children"][number]): boolean {
	return task.isolation !== "shared" && report.status !== "queued";
}

const notSaved: SaveText = async () => ({ ok: false, reason: "it was interrupted" });

function refused(why: string): DelegationAnswer & { readonly ok: false } {
	return { ok: false, why };
}

function unknown(id: string): DelegationAnswer {
	return refused(`There is no delegation "${id}" of yours; action=list shows all`);
}
