/** An instance as the place where commands run. */

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type FileLock, tryFileLock } from "../../base/file-lock.ts";
import { BackendUnavailable, type OpenContext, type Running, type Sandbox } from "../backend.ts";
import { exportedNames } from "../environment-text.ts";
import type { SharedLocalHost } from "../local/local-host.ts";
import { createEnvironmentFolder, type ExecPlace, startExec } from "./exec.ts";
import { ensureImage } from "./image.ts";
import { startInstance } from "./instance.ts";
import { noteOverlay } from "./overlay-notes.ts";
import { planInstance } from "./plan.ts";
import { checkProgram, findProgram, type Program } from "./program.ts";
import { openScratch, type Scratch } from "./scratch.ts";
import type { SingularitySettings } from "./settings.ts";
import { warnOfSize } from "./size-warning.ts";

/** What a user without the program is told. */
export const noProgram = "neither apptainer nor singularity is on PATH; install one of them";

/** Opens the sandbox of a task. @throws {BackendUnavailable} When program, image or instance cannot be had. */
export async function openSandbox(
	settings: SingularitySettings,
	context: OpenContext,
	shared: SharedLocalHost,
): Promise<Sandbox> {
	const { hostEnvironment: env, signal, taskId, home, boundPlaces } = context;
	const tell = (line: string) => context.onProgress?.(line);
	const path = findProgram(env.PATH ?? "");
	if (path === undefined) throw new BackendUnavailable(`Cannot use singularity: ${noProgram}`);
	await using opening = new AsyncDisposableStack();
	const host = opening.use(await shared.use(env.PATH ?? ""));
	const program: Program = { path, host, env };
	await checkProgram(program, signal);
	const scratch = openScratch(settings, { home, environment: env });
	const userHome = env.HOME ?? "/";
	const image = await ensureImage(settings.singularity_image, { program, scratch, userHome, signal, tell });
	const overlay = settings.container_persistent ? opening.use(openOverlay(scratch, taskId)) : undefined;
	const folders = opening.use(makeFolders(scratch));
	const plan = planInstance(settings, { ...folders, overlay: overlay?.path, userHome, boundPlaces, warn: tell });
	const environments = createEnvironmentFolder(folders.files);
	const start = async (during: AbortSignal) => {
		const instance = await startInstance({ program, plan, image, signal: during, tell });
		return probed({ program, instance, inherited: [], environments }, during);
	};
	const first = await start(signal);
	if (overlay !== undefined) noteOverlay(home, taskId, overlay.path);
	void warnOfSize(program, scratch.root, { limitGigabytes: settings.disk_warning_gb, warn: tell });
	const opened = opening.move();
	return sandboxOf(first, overlay === undefined ? undefined : start, () => opened.disposeAsync());
}

/** `restart` makes another instance of the same files; undefined where they are gone with the first. */
function sandboxOf(
	first: ExecPlace,
	restart: ((signal: AbortSignal) => Promise<ExecPlace>) | undefined,
	close: () => Promise<void>,
): Sandbox {
	const alive = new Set<Running>();
	let place = first;
	let restarting: Promise<ExecPlace> | undefined;
	const livingPlace = async () => {
		if (place.instance.isAlive()) return place;
		if (restart === undefined) {
			throw new BackendUnavailable(
				`Cannot start the command: the instance ${place.instance.name} is gone, and its files with it`,
			);
		}
		// Several commands may find out at the same moment.
		restarting ??= restart(new AbortController().signal).finally(() => {
			restarting = undefined;
		});
		place = await restarting;
		return place;
	};
	return {
		get ranOn() {
			return `singularity:${place.instance.name}`;
		},
		async start(argv, options) {
			const running = await startExec(await livingPlace(), argv, options);
			alive.add(running);
			const forget = () => void alive.delete(running);
			running.exited.then(forget, forget);
			return running;
		},
		async [Symbol.asyncDispose]() {
			await Promise.allSettled([...alive].map((running) => running.kill()));
			await place.instance.stop();
			await close();
		},
	};
}

/** Asks once which variables a process there gets, which a session's own are to replace. */
async function probed(place: ExecPlace, signal: AbortSignal): Promise<ExecPlace> {
	try {
		const argv = ["/bin/sh", "-c", "export -p"];
		const running = await startExec(place, argv, { env: {}, cwd: "/", stdin: "none", signal });
		const [said] = await Promise.all([new Response(running.output).text(), running.exited]);
		return { ...place, inherited: exportedNames(said) };
	} catch (cause) {
		await place.instance.stop();
		throw cause;
	}
}

/** The kept files of a task. Two instances that wrote to them at once would ruin them. */
function openOverlay({ overlays }: Scratch, taskId: string): Disposable & { readonly path: string } {
	const path = join(overlays, `overlay-${taskId.replace(/[^\w.-]+/g, "_")}`);
	mkdirSync(path, { recursive: true, mode: 0o700 });
	const lock: FileLock | undefined = tryFileLock(`${path}.lock`);
	if (lock !== undefined) return { path, [Symbol.dispose]: () => lock[Symbol.dispose]() };
	throw new BackendUnavailable(
		`Cannot open the files of "${taskId}" in ${path}: another process uses them; set terminal.container_persistent to false to do without`,
	);
}

/** Folders of one sandbox: for its temporary files, and for its variables. */
function makeFolders({ root }: Scratch): Disposable & { readonly work: string; readonly files: string } {
	const folder = mkdtempSync(join(root, "hermes-work-"));
	const [work, files] = [join(folder, "work"), join(folder, "variables")];
	for (const made of [work, files]) mkdirSync(made, { mode: 0o700 });
	return { work, files, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}
