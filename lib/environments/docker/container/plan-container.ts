/** From settings to the container that is wanted. */

import { loadEnvFile } from "../../../config/files.ts";
import type { OpenContext } from "../../backend.ts";
import type { Engine } from "../engine/connect.ts";
import { ensureImage } from "../image/ensure-image.ts";
import type { DockerSettings } from "../settings.ts";
import { createRequest } from "./create-request.ts";
import { withDiskLimit } from "./disk-limit.ts";
import { engineFacts } from "./engine-facts.ts";
import { planMounts } from "./mounts.ts";
import type { ContainerPlan } from "./open-container.ts";

/** The plan for a task's container. Makes folders on this machine, and pulls the image when the engine lacks it. */
export async function planContainer(
	{ docker, isLocal }: Engine,
	settings: DockerSettings,
	context: OpenContext,
): Promise<ContainerPlan> {
	const { hostEnvironment: variables, signal, taskId, home, boundPlaces } = context;
	const tell = (line: string) => context.onProgress?.(line);
	const image = await ensureImage(docker, { reference: settings.docker_image, variables, signal, onProgress: tell });
	const facts = await engineFacts(docker);
	const request = createRequest(settings, {
		entrypoint: [image.Config.Entrypoint ?? []].flat(),
		processors: facts.processors,
		mounts: planMounts(settings, { isLocal, taskId, home, userHome: variables.HOME ?? "/", boundPlaces, warn: tell }),
		user: settings.docker_run_as_host_user ? hostUser(tell) : undefined,
	});
	return {
		request: await withDiskLimit(docker, request, { settings, facts, warn: tell }),
		losesUnreadInput: facts.isPodman,
		forwarded: forwardedVariables(settings, context),
		owner: { taskId, home },
		isKept: settings.docker_persist_across_processes,
		life: settings.life,
		signal,
		tell,
	};
}

function hostUser(warn: (text: string) => void): string | undefined {
	const [uid, gid] = [process.getuid?.(), process.getgid?.()];
	if (uid !== undefined && gid !== undefined) return `${uid}:${gid}`;
	warn("Cannot run the container as the user of this machine: it has no user ids");
	return undefined;
}

/** What the user lists by name goes in whatever it is called; an empty value is none. */
function forwardedVariables(
	{ docker_forward_env: names }: DockerSettings,
	{ hostEnvironment, home }: OpenContext,
): Record<string, string> {
	if (names.length === 0) return {};
	const known = { ...loadEnvFile(home).variables, ...hostEnvironment };
	const given = names.map((name) => [name, known[name] ?? ""] as const);
	return Object.fromEntries(given.filter(([, value]) => value !== ""));
}
