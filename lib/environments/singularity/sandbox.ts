/** An instance as the place where commands run. */

import { mkdirSync } from "node:fs";
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
import { endOldInstances, leftInstance, openWorkFolder } from "./work-folder.ts";

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
	const { life } = settings;
	const folders = opening.use(openWorkFolder({ root: scratch.root, taskId, life }));
	await endOldInstances(program, { root: scratch.root, tell });
	const plan = planInstance(settings, { ...folders, overlay: overlay?.path, userHome, boundPlaces, warn: tell });
	const environments = createEnvironmentFolder(folders.files);
	const start = async (during: AbortSignal) => {
		const { left } = folders;
		const instance =
			left === undefined
				? await startInstance({ program, plan, image, signal: during, tell })
				: await leftInstance(program, left, during);
		folders.note(instance);
		const place = { program, instance, inherited: [], environments };
		return probed(place, during).catch(async (cause) => {
			// What was left is not ours to end.
			if (left === undefined) await instance.stop();
			throw cause;
		});
	};
	const first = await start(signal);
	if (overlay !== undefined) noteOverlay(home, taskId, overlay.path);
	void warnOfSize(program, scratch.root, { limitGigabytes: settings.disk_warning_gb, warn: tell });
	const opened = opening.move();
	const restart = overlay === undefined ? undefined : start;
	return sandboxOf(first, { restart, stays: life === "found", close: () => opened.disposeAsync() });
}

interface SandboxEnd {
	/** Makes another instance of the same files; undefined where they are gone with the first. */
	readonly restart: ((signal: AbortSignal) => Promise<ExecPlace>) | undefined;
	/** The instance runs on. */
	readonly stays: boolean;
	close(): Promise<void>;
}

function sandboxOf(first: ExecPlace, { restart, stays, close }: SandboxEnd): Sandbox {
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
			if (!stays) await place.instance.stop();
			await close();
		},
	};
}

/** Asks once which variables a process there gets, which a session's own are to replace. */
async function probed(place: ExecPlace, signal: AbortSignal): Promise<ExecPlace> {
	const argv = ["/bin/sh", "-c", "export -p"];
	const running = await startExec(place, argv, { env: {}, cwd: "/", stdin: "none", signal });
	const [said] = await Promise.all([new Response(running.output).text(), running.exited]);
	return { ...place, inherited: exportedNames(said) };
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
