/** One push: what changed here goes to the sandbox in one archive, and is noted when all of it has arrived. */

import { adopt, type EarlierRun } from "./earlier-run.ts";
import type { FarSide } from "./far-side.ts";
import type { LocalFile, LocalFiles, SentFile } from "./local-files.ts";
import { archiveOf, type Sending } from "./push-archive.ts";
import type { SyncSources } from "./sync-sources.ts";

/** What travelled. */
export interface PushReport {
	/** Places below `.hermes`. */
	readonly sent: readonly string[];
	readonly deleted: readonly string[];
	/** Bytes of the archive. */
	readonly bytes: number;
}

/** What a push works with. */
export interface PushParts {
	readonly far: Pick<FarSide, "receive">;
	readonly local: LocalFiles;
	readonly sources: SyncSources;
	/** What an earlier run sent, until this run has sent something. */
	readonly earlier: EarlierRun | undefined;
	readonly signal: AbortSignal;
	/** Told what is about to travel. */
	onPlan(files: number, bytes: number): void;
}

const nothing: PushReport = { sent: [], deleted: [], bytes: 0 };

/**
 * Sends what changed.
 * @throws {SyncFailed | BackendUnavailable} When it did not arrive; then nothing is noted, and the next push sends it again.
 */
export async function push({ far, local, sources, earlier, signal, onPlan }: PushParts): Promise<PushReport> {
	const { changed, gone } = local.changes(sources, Date.now());
	const { missing, leftOver } = adopt(earlier, { local, trees: sources.trees }, changed);
	const deleted = [...gone.flatMap((path) => local.sentAs(path) ?? []), ...leftOver];
	if (missing.length === 0 && deleted.length === 0) {
		for (const path of gone) local.forget(path);
		return nothing;
	}
	onPlan(
		missing.length,
		missing.reduce((sum, { size }) => sum + size, 0),
	);
	const read = new Map<LocalFile, SentFile>();
	const sending: Sending = {
		files: missing,
		secret: new Set(sources.files.map(({ to }) => to)),
		deleted: withoutPlacesOf(missing, deleted),
		isRead: (file, sent) => void read.set(file, sent),
		...(earlier?.isLong && { kept: [...local.sent.values()] }),
	};
	const counter = { bytes: 0 };
	await far.receive(counted(archiveOf(sending), counter), signal);
	for (const path of gone) local.forget(path);
	for (const { path } of missing) local.forget(path);
	for (const [{ path }, sent] of read) local.note(path, sent);
	return {
		sent: [...read.values()].filter(({ isThere }) => isThere).map(({ to }) => to),
		deleted: sending.deleted,
		bytes: counter.bytes,
	};
}

/** A file that took the place of another one has replaced it already. */
function withoutPlacesOf(files: readonly LocalFile[], deleted: readonly string[]): string[] {
	const places = new Set(files.map(({ to }) => to));
	return deleted.filter((to) => !places.has(to));
}

/** Read where it is asked for: what waits in memory is one chunk. */
function counted(archive: Generator<Uint8Array>, counter: { bytes: number }): ReadableStream<Uint8Array> {
	return new ReadableStream({
		pull(controller) {
			const { done, value } = archive.next();
			if (done) return controller.close();
			counter.bytes += value.length;
			controller.enqueue(value);
		},
		cancel() {
			archive.return(undefined);
		},
	});
}
