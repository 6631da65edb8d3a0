/** The way back, with its attempts: receive into a folder of our own, then put into place while nobody else does. */

import { mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { attempt, reasonOf } from "../../base/attempt.ts";
import { takeFileLock } from "../../base/file-lock.ts";
import { BackendUnavailable } from "../backend.ts";
import type { FarFile } from "./far-record.ts";
import type { FarSide } from "./far-side.ts";
import type { SyncHost } from "./file-sync.ts";
import type { SentFile } from "./local-files.ts";
import { type Arrived, pull, pullLimits } from "./pull.ts";
import { type PutBackReport, putBack } from "./put-back.ts";
import type { SyncSources } from "./sync-sources.ts";
import { ArchiveRefused } from "./tar/read-tar.ts";

/** What came back. */
export type BroughtBack =
	| ({ readonly is: "back" } & PutBackReport)
	| { readonly is: "failed"; readonly reason: string };

/** Nothing came back, and nothing had to. */
export const nothingBack: BroughtBack = { is: "back", written: [], beside: [], refused: [], failed: [] };

/** What it works with. */
export interface BringBackParts {
	readonly far: FarSide;
	/** By the path on this machine. */
	readonly sent: ReadonlyMap<string, SentFile>;
	readonly sources: SyncSources;
	readonly foreign: ReadonlyMap<string, FarFile>;
	readonly host: Pick<SyncHost, "home" | "userHome" | "onWarning" | "pullPausesMs">;
	onPlan(files: number, bytes: number): void;
}

/** Milliseconds that all attempts may take together; whoever closes a sandbox waits for them. */
export const pullLimitMs = 120_000;
const usualPausesMs = [2_000, 4_000];

/** Lines that are said one by one. */
const saidLines = 5;

/** Below HERMES_HOME: what arrives is on the disk where it belongs. */
const arrivals = "sync-back";

/** Never throws; what went wrong is told. */
export async function bringBack(parts: BringBackParts): Promise<BroughtBack> {
	const { far, host } = parts;
	const signal = AbortSignal.timeout(pullLimitMs);
	const id = crypto.randomUUID().slice(0, 8);
	const folder = join(host.home, arrivals, `${process.pid}-${id}`);
	try {
		sweep(join(host.home, arrivals));
		const arrived = await receive(parts, folder, signal);
		if (arrived.files.length === 0 && arrived.refused.length === 0) return nothingBack;
		const placed = await place(arrived, { ...parts, id, signal });
		const report = { ...placed, refused: [...arrived.refused, ...placed.refused] };
		tell(parts, report, report.failed.length === 0 ? "" : keep(folder, host.home, id));
		return { is: "back", ...report };
	} catch (cause) {
		const reason = reasonOf(cause);
		host.onWarning(`Cannot bring files back from ${far.ranOn}: ${reason}; what is there stays in ${far.base}/cache`);
		return { is: "failed", reason };
	} finally {
		attempt(() => rmSync(folder, { recursive: true, force: true }));
		// Not when something else is in it.
		attempt(() => rmdirSync(join(host.home, arrivals)));
	}
}

/** Tries again what a bad line or a full disk can have spoilt; not what a dead or a hostile sandbox did. */
async function receive(parts: BringBackParts, folder: string, signal: AbortSignal): Promise<Arrived> {
	const pausesMs = parts.host.pullPausesMs ?? usualPausesMs;
	const { files, trees } = parts.sources;
	const secret = new Set(files.map(({ to }) => to));
	const byPlace = new Map([...parts.sent.values()].map((file) => [file.to, file]));
	for (const pauseMs of [...pausesMs, undefined]) {
		rmSync(folder, { recursive: true, force: true });
		mkdirSync(folder, { recursive: true, mode: 0o700 });
		try {
			const { far, foreign, onPlan } = parts;
			return await pull({ far, foreign, sent: byPlace, trees, secret, folder, limits: pullLimits, signal, onPlan });
		} catch (cause) {
			const isFinal = cause instanceof BackendUnavailable || cause instanceof ArchiveRefused || signal.aborted;
			if (isFinal || pauseMs === undefined) throw cause;
			await Bun.sleep(pauseMs);
		}
	}
	return { files: [], refused: [] };
}

/** Locked only now: another process need not wait for a network. */
async function place(
	{ files }: Arrived,
	{ host, sent, sources, id, signal }: BringBackParts & { readonly id: string; readonly signal: AbortSignal },
): Promise<PutBackReport> {
	using _lock = await takeFileLock(join(host.home, ".sync.lock"), signal);
	return putBack(files, { sent, trees: sources.trees, id, folders: { home: host.userHome, hermesHome: host.home } });
}

/** What could not be put into place is not thrown away. */
function keep(folder: string, home: string, id: string): string {
	const kept = join(home, arrivals, `kept-${id}`);
	return attempt(() => renameSync(folder, kept)).ok ? kept : folder;
}

function tell({ far, host }: BringBackParts, report: PutBackReport, kept: string): void {
	const beside = report.beside.map((path) => `${path}: changed here too, so that of ${far.ranOn} is kept beside it`);
	const refused = report.refused.map((line) => `not brought back from ${far.ranOn}: ${line}`);
	const failed = report.failed.map((line) => `cannot write ${line}; what came is kept in ${kept}`);
	for (const lines of [beside, refused, failed]) {
		for (const line of lines.slice(0, saidLines)) host.onWarning(line);
		if (lines.length > saidLines) host.onWarning(`and ${lines.length - saidLines} more`);
	}
}

/** Removes what processes left behind that were killed while they received. */
function sweep(folder: string): void {
	const names = attempt(() => readdirSync(folder));
	for (const name of names.ok ? names.value : []) {
		const pid = /^(\d+)-/.exec(name)?.[1];
		if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(folder, name), { recursive: true, force: true });
	}
}

function isAlive(pid: number): boolean {
	try {
		return process.kill(pid, 0);
	} catch (error) {
		return error instanceof Error && "code" in error && error.code === "EPERM";
	}
}
