/** Two homes for tests of file sync: one of this machine, and one that a sandbox believes to be its own. */

import { chmodSync, existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Sandbox } from "../../../lib/environments/backend.ts";
import { createFileSync, type FileSync, type SyncHost } from "../../../lib/environments/sync/file-sync.ts";
import { homeSources } from "../../../lib/environments/sync/home-sources.ts";
import type { SyncSources } from "../../../lib/environments/sync/sync-sources.ts";
import { openLocal } from "../../support/local-sandbox.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** What a test may change. */
export interface SyncOptions extends Partial<Omit<SyncHost, "home">> {
	/** Where it goes; a local process when left out. */
	readonly sandbox?: Sandbox;
	readonly credentials?: readonly string[];
	readonly skillsComeBack?: boolean;
	/** A folder there that the sandbox's user can write to; a temporary one of this user when left out. */
	readonly far?: string;
	/** Only the programs in `bin` there are found. */
	readonly isPoor?: boolean;
}

/** One sync between two folders. Disposing it removes them. */
export interface SyncPlace extends AsyncDisposable {
	readonly sync: FileSync;
	/** HERMES_HOME here. */
	readonly home: string;
	/** The home folder there. */
	readonly far: string;
	/** `.hermes` there. */
	readonly base: string;
	readonly sandbox: Sandbox;
	/** Lines of warning and of progress. */
	readonly warnings: string[];
	readonly progress: string[];
	/** Milliseconds that have passed for the sync. */
	clockMs: number;
	/** Another sync of the same two folders, as a new run has one. */
	again(options?: SyncOptions): FileSync;
	/** Puts a program before the ones that the sandbox has. */
	shadow(program: string, script: string): void;
}

/** A signal that nobody aborts. */
export const { signal } = new AbortController();

/** Pulls that have failed are not waited for. */
const noPauses = [1, 1];

/** Opens it. */
export async function openSyncPlace(options: SyncOptions = {}): Promise<SyncPlace> {
	await using opened = new AsyncDisposableStack();
	const home = opened.use(temporaryFolder()).path;
	const far = options.far ?? opened.use(temporaryFolder()).path;
	const usual = options.isPoor ? "" : ":/usr/local/bin:/usr/bin:/bin";
	const env = { PATH: `${far}/bin${usual}`, HOME: far };
	const sandbox = withEnvironment(options.sandbox ?? opened.use(await openLocal()), env);
	const state = { clockMs: 0, warnings: [] as string[], progress: [] as string[] };
	const create = (more: SyncOptions = {}) => {
		const all = { ...options, ...more };
		const choice = { home, externalSkills: [], credentials: all.credentials ?? [], cacheComesBack: true };
		const sources = all.sources ?? (() => homeSources({ ...choice, skillsComeBack: all.skillsComeBack ?? false }));
		return createFileSync(sandbox, {
			home,
			userHome: dirname(home),
			sources,
			now: () => state.clockMs,
			pullPausesMs: noPauses,
			onWarning: (line) => state.warnings.push(line),
			onProgress: (line) => state.progress.push(line),
			...(all.isEager !== undefined && { isEager: all.isEager }),
		});
	};
	const sync = create();
	const kept = opened.move();
	return Object.assign(state, {
		sync,
		home,
		far,
		base: join(far, ".hermes"),
		sandbox,
		again: create,
		shadow: (program: string, script: string) => {
			put(join(far, "bin", program), `#!/bin/sh\n${script}\n`);
			chmodSync(join(far, "bin", program), 0o755);
		},
		[Symbol.asyncDispose]: () => kept.disposeAsync(),
	});
}

/** `sandbox` whose programs start with these variables. */
export function withEnvironment(sandbox: Sandbox, env: Readonly<Record<string, string>>): Sandbox {
	return {
		ranOn: sandbox.ranOn,
		get helper() {
			return sandbox.helper;
		},
		start: (argv, options) => sandbox.start(argv, { ...options, env: { ...env, ...options.env } }),
		[Symbol.asyncDispose]: async () => undefined,
	};
}

/** Writes a file and the folders above it. */
export function put(path: string, content: string | Uint8Array, modifiedSecondsAgo?: number): void {
	mkdirSync(dirname(path), { recursive: true });
	writeFileSync(path, content);
	if (modifiedSecondsAgo === undefined) return;
	const time = Date.now() / 1000 - modifiedSecondsAgo;
	utimesSync(path, time, time);
}

/** The text of a file; undefined when it is not there. */
export function textOf(path: string): string | undefined {
	return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

/** One tree that both ways. */
export function oneTree(from: string): () => SyncSources {
	return () => ({ files: [], trees: [{ from, to: "skills", comesBack: true }] });
}
