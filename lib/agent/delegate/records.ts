/** What is kept on disk of every delegation, so that it can be read while it runs, by others, and after its process has died. */

import {
	existsSync,
	type FSWatcher,
	mkdirSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	watch,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { attempt } from "../../base/attempt.ts";
import { isOwnerAlive } from "../../processes/checkpoint.ts";
import { childReportShape, type DelegationStatus } from "../../registry/delegation.ts";

/** Records of delegations that are over and were told. */
const mostKept = 50;

const recordShape = z.object({
	version: z.literal(1),
	id: z.string().regex(/^deleg_[0-9a-f]{8}$/),
	/** The process that runs it, told from a later one with its number by the moment it began. */
	owner: z.object({ pid: z.int(), start: z.string() }),
	/** The session that handed out the tasks, and the one that its conversation began with. */
	session_id: z.string(),
	conversation_id: z.string(),
	/** The child that handed out the tasks, when it was one. */
	parent_id: z.string().optional(),
	/** How many agents stand above those who work. */
	depth: z.int(),
	is_background: z.boolean(),
	status: z.enum(["running", "finished", "cancelled", "lost"]),
	/** The agent that handed out the tasks knows what came of them. */
	told: z.boolean(),
	/** Milliseconds since 1970. */
	started_at: z.number(),
	ended_at: z.number().optional(),
	/** When it was written last. */
	updated_at: z.number(),
	children: z.array(childReportShape),
});

/** One delegation as it is kept. */
export type DelegationRecord = z.output<typeof recordShape>;

/** All records of one home. */
export interface Records {
	/** Newest first. What a dead process has left running is `lost`. One that cannot be read is left out. */
	list(): readonly DelegationRecord[];
	get(id: string): DelegationRecord | undefined;
	/** Only the process that runs a delegation writes its record, or anybody when that process is dead. */
	write(record: DelegationRecord): void;
	/** Removes what these sessions handed out; what still works stays, and a change that was neither taken over nor thrown away. */
	removeOf(sessions: ReadonlySet<string>): void;
	/** Asks the process that runs it to cancel it. */
	askToCancel(id: string): void;
	/** Calls `onCancel` with the id of each delegation that somebody wants cancelled, until it is disposed of. */
	watchCancels(onCancel: OnCancel): Disposable;
	/** Nothing new may be handed out, by any process of this home; what works goes on. */
	readonly isPaused: boolean;
	pause(): void;
	/** Takes a pause back. */
	unpause(): void;
	/** Calls `onChange` whenever a record may have changed, until it is disposed of. */
	watch(onChange: () => void): Disposable;
}

/** False when the delegation is none of this process. */
export type OnCancel = (id: string) => boolean;

/** The folder of the records of a home. */
export function recordFolder(hermesHome: string): string {
	return join(hermesHome, "delegations");
}

/** The records in `folder`, which need not be there. */
export function openRecords(folder: string): Records {
	const pause = join(folder, "paused");
	const pathOf = (id: string) => join(folder, `${id}.json`);
	const list = () =>
		(existsSync(folder) ? readdirSync(folder) : [])
			.filter((name) => /^deleg_\w+\.json$/.test(name))
			.flatMap((name) => readRecord(join(folder, name)) ?? [])
			.sort((one, other) => other.started_at - one.started_at);
	return {
		list,
		get: (id) => (/^deleg_\w+$/.test(id) ? readRecord(pathOf(id)) : undefined),
		write(record) {
			mkdirSync(folder, { recursive: true, mode: 0o700 });
			const before = readRecord(pathOf(record.id));
			const now = before === undefined ? record : withSettledChanges(record, before);
			replaceFile(pathOf(record.id), `${JSON.stringify(now, null, "\t")}\n`);
			if (before === undefined) removeOld(list(), pathOf);
		},
		removeOf(sessions) {
			const gone = list().filter((record) => sessions.has(record.session_id) && isOver(record));
			for (const { id } of gone) rmSync(pathOf(id), { force: true });
		},
		askToCancel(id) {
			replaceFile(join(folder, `${id}.cancel`), "");
		},
		watchCancels(onCancel) {
			const look = (name: string) => {
				const id = /^(deleg_\w+)\.cancel$/.exec(name)?.[1];
				const path = join(folder, name);
				if (id !== undefined && existsSync(path) && onCancel(id)) rmSync(path, { force: true });
			};
			const watching = watchFolder(folder, look);
			for (const name of readdirSync(folder)) look(name);
			return watching;
		},
		watch: (onChange) => watchFolder(folder, onChange),
		get isPaused() {
			return existsSync(pause);
		},
		pause() {
			mkdirSync(folder, { recursive: true, mode: 0o700 });
			replaceFile(pause, "");
		},
		unpause: () => rmSync(pause, { force: true }),
	};
}

/** As people and models see it. */
export function statusOf(record: DelegationRecord, now: number): DelegationStatus {
	const last = record.status === "running" ? now : (record.ended_at ?? record.updated_at);
	return {
		delegation_id: record.id,
		status: record.status,
		started_at: new Date(record.started_at).toISOString(),
		duration_seconds: secondsBetween(record.started_at, last),
		children: record.children.map((child) => {
			const { status, started_at: begun } = child;
			return status === "running" && begun !== undefined
				? { ...child, duration_seconds: secondsBetween(begun, now) }
				: child;
		}),
	};
}

function secondsBetween(from: number, to: number): number {
	return Math.round((to - from) / 100) / 10;
}

function readRecord(path: string): DelegationRecord | undefined {
	const parsed = attempt(() => recordShape.parse(JSON.parse(readFileSync(path, "utf8"))));
	if (!parsed.ok) return undefined;
	const record = parsed.value;
	return record.status === "running" && !isOwnerAlive(record.owner) ? lost(record) : record;
}

/** What its children had done until then is all that is known. */
function lost(record: DelegationRecord): DelegationRecord {
	const children = record.children.map((child) =>
		child.status === "running" || child.status === "queued"
			? { ...child, status: "lost" as const, error: "hermes died before it ended; what it had done stays" }
			: child,
	);
	return { ...record, status: "lost", children };
}

/** A change that was neither taken over nor thrown away must stay findable. */
function isOver({ status, children }: DelegationRecord): boolean {
	return status !== "running" && !children.some(({ change }) => change?.state === "open");
}

function removeOld(records: readonly DelegationRecord[], pathOf: (id: string) => string): void {
	for (const { id } of records.filter(isOver).slice(mostKept)) rmSync(pathOf(id), { force: true });
}

/**
 * A reader sees the old content or the new. Not forced to the disk: it is written many times while children work, and has to
 * outlive the process, not the machine.
 */
function replaceFile(path: string, text: string): void {
	const temporary = `${path}.${process.pid}.tmp`;
	writeFileSync(temporary, text, { mode: 0o600 });
	renameSync(temporary, path);
}

/** Another process may have taken over or thrown away what a child has left; that is never undone. */
function withSettledChanges(record: DelegationRecord, before: DelegationRecord): DelegationRecord {
	const children = record.children.map((child, index) => {
		const settled = before.children[index]?.change;
		const isSettled = settled !== undefined && settled.state !== "open" && child.change !== undefined;
		return isSettled ? { ...child, change: settled } : child;
	});
	return { ...record, children };
}

function watchFolder(folder: string, onName: (name: string) => void): Disposable {
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	// Without the events of the system a cancel from outside does not arrive; everything else works.
	const watcher = attempt((): FSWatcher => watch(folder, { persistent: false }, (_event, name) => onName(name ?? "")));
	return { [Symbol.dispose]: () => (watcher.ok ? watcher.value.close() : undefined) };
}
