/** Runs one child from its place to its report. Whatever happens to it, there is a report in the end, and soon after a signal. */

import { firstAborted, untilAborted } from "../../base/abort.ts";
import { attemptAsync } from "../../base/attempt.ts";
import { settledWithin } from "../../base/settled-within.ts";
import type { ChildReport, ChildRole, DelegatedTask } from "../../registry/delegation.ts";
import type { AgentEvent } from "../events.ts";
import type { ChildRequest, OpenChild, OpenedChild } from "./child.ts";
import { taskText } from "./child-prompt.ts";
import type { IsolatedPlace, Isolation } from "./isolation.ts";
import { followEvents, runningTool, type Stopped, takeInEnd } from "./progress.ts";
import { type StallLimits, watchForStall } from "./stall-watch.ts";

/** How long what a child leaves behind may take to be put away. */
const closeLimitMs = 30_000;
/** The same with a place of its own, whose changes have to be written down first. */
const placeLimitMs = 300_000;

/** A task that can be run. */
export interface PlannedChild {
	readonly task: DelegatedTask;
	readonly role: ChildRole;
	readonly tools: ReadonlySet<string>;
}

/** Everything that one child needs. */
export interface ChildRun extends PlannedChild, Omit<ChildRequest, "id" | "place" | "emit"> {
	/** Changes as the child goes on. */
	readonly report: ChildReport;
	readonly open: OpenChild;
	readonly isolation: Isolation | undefined;
	readonly timeoutMs: number | undefined;
	readonly stall: StallLimits;
	/** How long it may take to stop before it is left alone. */
	readonly graceMs: number;
	/** Nobody waits for what it leaves behind once `signal` has aborted. */
	readonly isHurried: boolean;
	/** The child has come further. */
	onProgress(event: AgentEvent): void;
	/** What it has left behind is known. */
	onClosed(): void;
}

/** Never rejects. */
export async function runChild(run: ChildRun): Promise<void> {
	const { report } = run;
	const stop = new AbortController();
	let stopped: Stopped | undefined;
	const end = (kind: Stopped["kind"], why: string) => {
		stopped ??= { kind, why };
		stop.abort(new Error(why));
	};
	using either = firstAborted([run.signal, stop.signal]);
	using watch = watchForStall(
		run.stall,
		() => runningTool(report),
		(why) => end("stalled", why),
	);
	using _limit = timeLimit(run.timeoutMs, (why) => end("timeout", why));
	const live = followLive(run, () => watch.touch());
	const opening = openPlaced(run, live.emit, either.signal);
	const opened = await attemptAsync(() => untilAborted(opening, either.signal));
	if (opened.ok) {
		await work(run, opened.value, { live, signal: either.signal, stopped: () => stopped });
	} else {
		live.stop();
		setEnd(report, stopped?.kind ?? (run.signal.aborted ? "interrupted" : "error"), stopped?.why ?? opened.reason);
	}
	explainSilence(report);
	await putAway(run, opened.ok ? closePlaced(run, opened.value) : closeLate(run, opening));
}

/** From the first word to the report. */
async function work(
	run: ChildRun,
	{ child, place }: Placed,
	{ live, signal, stopped }: { readonly live: Live; readonly signal: AbortSignal; stopped(): Stopped | undefined },
): Promise<void> {
	const { report } = run;
	report.model = child.model;
	report.session_id = child.sessionId;
	if (place !== undefined) report.change = { ...place.begun, state: "open" };
	// As it goes on: a killed process would not come to it in the end.
	live.afterCalls(() => {
		report.files_written = [...child.filesWritten()];
	});
	const turn = attemptAsync(() => child.runTurn(taskText(run.task), signal));
	const finished = await soonAfter(turn, signal, run.graceMs);
	live.stop();
	const by = stopped();
	if (finished === undefined) setEnd(report, by?.kind ?? "abandoned", by?.why ?? "It did not stop in time");
	else if (finished.ok) takeInEnd(report, finished.value, by);
	else setEnd(report, "error", finished.reason);
	report.files_written = [...child.filesWritten()];
}

async function putAway({ task, isHurried, signal }: ChildRun, closing: Promise<void>): Promise<void> {
	const limitMs = task.isolation === "shared" ? closeLimitMs : placeLimitMs;
	if (!(isHurried && signal.aborted)) await settledWithin(closing, limitMs);
}

/** What was opened although nobody waited any more; an opening that nothing stops is left alone. */
async function closeLate(run: ChildRun, opening: Promise<Placed>): Promise<void> {
	const late = attemptAsync(() => opening).then((opened) => (opened.ok ? closePlaced(run, opened.value) : undefined));
	await settledWithin(late, run.task.isolation === "shared" ? run.graceMs : closeLimitMs);
}

/** A child that was never answered has nothing to say for itself: what it was asked with has to do. */
function explainSilence(report: ChildReport): void {
	const wasAnswered = report.tool_calls > 0 || report.partial !== undefined;
	if (wasAnswered || (report.status !== "timeout" && report.status !== "stalled")) return;
	report.error = `${report.error}; no model call was answered (${report.model || "no model yet"}). See hermes logs`;
}

function setEnd(
	report: ChildReport,
	status: "timeout" | "stalled" | "abandoned" | "interrupted" | "error",
	why: string,
) {
	report.status = status;
	report.exit_reason = status === "abandoned" ? "interrupted" : status;
	report.error = why;
}

type Live = ReturnType<typeof followLive>;

/** Events reach the report until it is closed, however long the child goes on. */
function followLive({ report, onProgress }: ChildRun, touch: () => void) {
	const started = performance.now();
	const takeIn = followEvents(report);
	let isOver = false;
	let afterCall = () => {};
	const seconds = () => Math.round((performance.now() - started) / 10) / 100;
	return {
		emit(event: AgentEvent) {
			if (isOver) return;
			touch();
			const isFurther = takeIn(event);
			report.duration_seconds = seconds();
			if (event.type === "tool_finished") afterCall();
			if (isFurther) onProgress(event);
		},
		/** `look` is called whenever a tool has answered. */
		afterCalls(look: () => void) {
			afterCall = look;
		},
		stop() {
			isOver = true;
			report.duration_seconds = seconds();
		},
	};
}

function timeLimit(limitMs: number | undefined, onEnd: (why: string) => void): Disposable {
	if (limitMs === undefined) return { [Symbol.dispose]() {} };
	const timer = setTimeout(() => onEnd(`Its time was up after ${limitMs / 1000} s`), limitMs);
	return { [Symbol.dispose]: () => clearTimeout(timer) };
}

interface Placed {
	readonly child: OpenedChild;
	readonly place: IsolatedPlace | undefined;
}

/** @throws {Error} When the place or the child cannot be opened. May go on for a while after the signal. */
async function openPlaced(run: ChildRun, emit: (event: AgentEvent) => void, signal: AbortSignal): Promise<Placed> {
	const { report, task, parent, isolation, ...rest } = run;
	const place = await openPlace(run, signal);
	const opened = await attemptAsync(() =>
		run.open({ ...rest, id: report.subagent_id, task, parent, place, emit, signal }),
	);
	if (opened.ok) return { child: opened.value, place };
	await attemptAsync(() => place?.finish());
	throw new Error(opened.reason);
}

async function openPlace({ task, parent, report, isolation }: ChildRun, signal: AbortSignal) {
	const { isolation: kind } = task;
	if (kind === "shared") return undefined;
	if (isolation === undefined)
		throw new Error(`Cannot give the child a ${kind}: that cannot be done in this kind of session`);
	const request = { kind, parentTask: parent.taskId, childTask: report.subagent_id, cwd: parent.cwd() };
	return await isolation.open({ ...request, signal });
}

/** First what it left running, then the place that it ran in. */
async function closePlaced({ report, onClosed }: ChildRun, { child, place }: Placed): Promise<void> {
	const closed = await attemptAsync(() => child.close(report.status));
	const finished = place && (await attemptAsync(() => place.finish()));
	if (finished?.ok === true) {
		if (finished.value.kind === "kept") report.change = { ...finished.value.change, state: "open" };
		else delete report.change;
	}
	const problem = [closed, finished].find((one) => one?.ok === false);
	if (problem?.ok === false) report.error = [report.error, problem.reason].filter(Boolean).join("; ");
	onClosed();
}

/** What `work` gives; undefined when it has not ended `graceMs` after the signal aborted. */
async function soonAfter<T>(work: Promise<T>, signal: AbortSignal, graceMs: number): Promise<T | undefined> {
	const { promise: late, resolve } = Promise.withResolvers<undefined>();
	let timer: Timer | undefined;
	const onAbort = () => {
		timer = setTimeout(resolve, graceMs, undefined);
	};
	signal.addEventListener("abort", onAbort, { once: true });
	if (signal.aborted) onAbort();
	try {
		return await Promise.race([work, late]);
	} finally {
		clearTimeout(timer);
		signal.removeEventListener("abort", onAbort);
	}
}
