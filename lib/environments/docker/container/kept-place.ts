/** The container of a sandbox, which may be replaced while the sandbox is open. */

import type Docker from "dockerode";
import { BackendUnavailable } from "../../backend.ts";
import { orUnavailable, unlessStatus } from "../engine/engine-error.ts";
import { ContainerGone } from "../exec/container-gone.ts";
import type { ExecPlace } from "../exec/start-exec.ts";
import { type ContainerPlan, openContainer, removeContainer } from "./open-container.ts";
import { FolderRemoved, lastWords, probe } from "./probe.ts";

/** The container now, and what to do when it is gone. */
export interface KeptPlace {
	readonly current: ExecPlace;
	/**
	 * What takes the place of `lost`: the same container started again, or a new one when it was removed.
	 * @throws {BackendUnavailable} When that fails, or the container was to be thrown away with its files anyway.
	 */
	replace(lost: ExecPlace, cause: unknown): Promise<ExecPlace>;
}

/** Opens the first container. `run` names this run of the program. @throws {BackendUnavailable} */
export async function openPlace(docker: Docker, plan: ContainerPlan, run: string): Promise<KeptPlace> {
	let current = await open(docker, plan, run);
	let replacing: Promise<ExecPlace> | undefined;
	const replace = async (lost: ExecPlace, cause: unknown): Promise<ExecPlace> => {
		if (!plan.isKept) {
			throw new BackendUnavailable(`Cannot start the command: ${lost.name} is gone, and its files with it`, { cause });
		}
		// The caller's signal ended with the opening.
		const unsignalled = { ...plan, signal: new AbortController().signal };
		const next = await orUnavailable("Cannot open a container", () => open(docker, unsignalled, run));
		if (next.container.id !== lost.container.id) {
			plan.tell(`${lost.name} (${shortId(lost)}) is gone; commands now run in ${next.name} (${shortId(next)})`);
		}
		current = next;
		return next;
	};
	return {
		get current() {
			return current;
		},
		async replace(lost, cause) {
			// Several commands may find out at the same moment.
			if (current !== lost) return current;
			replacing ??= replace(lost, cause).finally(() => {
				replacing = undefined;
			});
			return replacing;
		},
	};
}

const shortId = ({ container }: ExecPlace) => container.id.slice(0, 12);

/** A container that was there may be removed by somebody while we look at it; then there is another look. */
const looks = 3;

async function open(docker: Docker, plan: ContainerPlan, run: string): Promise<ExecPlace> {
	for (let look = 1; ; look++) {
		const { container, isNew } = await openContainer(docker, plan);
		try {
			return await probe(
				{ docker, container, run, losesUnreadInput: plan.losesUnreadInput },
				plan.forwarded,
				plan.signal,
			);
		} catch (cause) {
			if (!isNew && look < looks && (await isWorthAnotherLook(container, plan, cause))) continue;
			const problem = await explained(container, plan, cause);
			if (isNew) await removeContainer(container);
			throw problem;
		}
	}
}

const restartMs = 60_000;

/** What is mounted is looked up when a container starts; what else is in it stays. */
async function isWorthAnotherLook(container: Docker.Container, { tell }: ContainerPlan, cause: unknown) {
	if (cause instanceof FolderRemoved) {
		tell(`The container ${container.id.slice(0, 12)} is started again: ${cause.message}`);
		const abortSignal = AbortSignal.timeout(restartMs);
		await orUnavailable("Cannot start the container again", () => container.restart({ t: 1, abortSignal }));
		return true;
	}
	return cause instanceof ContainerGone;
}

async function explained(container: Docker.Container, { request }: ContainerPlan, cause: unknown) {
	if (cause instanceof FolderRemoved)
		return new BackendUnavailable(`Cannot use a container: ${cause.message}`, { cause });
	if (!(cause instanceof ContainerGone)) return cause;
	const words = await unlessStatus([404, 409], lastWords(container));
	const why = words ? `it ended at once: ${words}` : "it ended at once";
	return new BackendUnavailable(`Cannot use a container of "${request.Image}": ${why}`, { cause });
}
